/** The built-in catalogue: data without code, in the same form as users' files. */
import apt from './catalogue/apt.json' with { type: 'json' };
import bun from './catalogue/bun.json' with { type: 'json' };
import cargo from './catalogue/cargo.json' with { type: 'json' };
import create from './catalogue/create.json' with { type: 'json' };
import docker from './catalogue/docker.json' with { type: 'json' };
import git from './catalogue/git.json' with { type: 'json' };
import go from './catalogue/go.json' with { type: 'json' };
import jest from './catalogue/jest.json' with { type: 'json' };
import make from './catalogue/make.json' with { type: 'json' };
import next from './catalogue/next.json' with { type: 'json' };
import nodeTest from './catalogue/node-test.json' with { type: 'json' };
import npm from './catalogue/npm.json' with { type: 'json' };
import pip from './catalogue/pip.json' with { type: 'json' };
import pnpm from './catalogue/pnpm.json' with { type: 'json' };
import pytest from './catalogue/pytest.json' with { type: 'json' };
import pythonServer from './catalogue/python-server.json' with { type: 'json' };
import server from './catalogue/server.json' with { type: 'json' };
import tsc from './catalogue/tsc.json' with { type: 'json' };
import vite from './catalogue/vite.json' with { type: 'json' };
import vitest from './catalogue/vitest.json' with { type: 'json' };
import webpack from './catalogue/webpack.json' with { type: 'json' };
import yarn from './catalogue/yarn.json' with { type: 'json' };

/** The files by name; the first match wins. `server` is last, because its patterns are the least specific. */
export const OWN_FILES: readonly (readonly [string, unknown])[] = [
  ['apt.json', apt],
  ['bun.json', bun],
  ['cargo.json', cargo],
  ['create.json', create],
  ['docker.json', docker],
  ['git.json', git],
  ['go.json', go],
  ['jest.json', jest],
  ['make.json', make],
  ['next.json', next],
  ['node-test.json', nodeTest],
  ['npm.json', npm],
  ['pip.json', pip],
  ['pnpm.json', pnpm],
  ['pytest.json', pytest],
  ['python-server.json', pythonServer],
  ['tsc.json', tsc],
  ['vite.json', vite],
  ['vitest.json', vitest],
  ['webpack.json', webpack],
  ['yarn.json', yarn],
  ['server.json', server],
];
