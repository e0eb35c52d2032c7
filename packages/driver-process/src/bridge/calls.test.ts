import { expect, test } from 'vitest';
import { Calls } from './calls.ts';
import type { HttpResponse, HttpLink } from './http-link.ts';

test('[HTTP-41] calls are made in order, one after the other; a patient one holds up no other', async () => {
  const log: string[] = [];
  const patient = Promise.withResolvers<HttpResponse>();
  const link = {
    async call(http: string, _body: string | undefined, isPatient: boolean): Promise<HttpResponse> {
      log.push(`made ${http}`);
      if (isPatient) return patient.promise;
      await Promise.resolve();
      log.push(`answered ${http}`);
      return { status: 200, json: '{"a":1}' };
    },
  } as unknown as HttpLink;
  const printed: string[] = [];
  const made: string[] = [];
  const calls = new Calls({
    link,
    print: (line) => printed.push(line),
    onMade: (http, status) => made.push(`${http} ${status}`),
  });
  calls.take('{"id":"1","http":"POST /long","wait":false}');
  calls.take('{"id":"2","http":"GET /a"}');
  calls.take('{"id":"3","http":"GET /b"}');
  calls.take('no call');
  calls.take('{"id":"4","http":"nonsense"}');
  await calls.settled();
  expect(log).toEqual(['made POST /long', 'made GET /a', 'answered GET /a', 'made GET /b', 'answered GET /b']);
  patient.resolve({ status: 204 });
  await patient.promise;
  await Promise.resolve();
  expect(made).toEqual(['GET /a 200', 'GET /b 200', 'POST /long 204']);
  expect(printed.map((line) => JSON.parse(line))).toEqual([
    { type: 'bridge.refused', properties: { reason: 'no call' } },
    { type: 'bridge.refused', properties: { reason: 'no call' } },
    { id: '2', http: 'GET /a', status: 200, body: { a: 1 } },
    { id: '3', http: 'GET /b', status: 200, body: { a: 1 } },
    { id: '1', http: 'POST /long', status: 204 },
  ]);
});
