import { type TransportWorld, transportContract } from '@spool/testkit/transport-contract';
import { FakeKeeper } from '../../test/fake-keeper.ts';

/** The fake keeper: no socket, and a clock that jumps. */
transportContract('memory', async (): Promise<TransportWorld> => {
  const keeper = new FakeKeeper();
  return {
    runtime: keeper,
    async session() {
      const session = keeper.session(keeper.randomId());
      const before = new Set(keeper.typed.keys());
      return {
        id: session.id,
        async print(bytes) {
          keeper.print(session, bytes);
          await new Promise((resolve) => setImmediate(resolve));
        },
        end: async () => keeper.end(session),
        typed: async () => [...keeper.typed].flatMap(([stream, text]) => (before.has(stream) ? [] : [text])).join(''),
      };
    },
    async sessionWithGap() {
      const bytes = Buffer.alloc(5000, 'x');
      const firstOffset = 3000;
      const { id } = keeper.session(keeper.randomId(), bytes, { firstOffset, exit: { exitCode: 0, signal: null } });
      return { id, firstOffset, bytes: bytes.subarray(firstOffset) };
    },
    async [Symbol.asyncDispose]() {},
  };
});
