import { z } from 'zod';
import { toCodeBlock } from '@signalbox/contracts/markdown';
import { formatSeconds } from '@signalbox/messages/duration';
import { say } from '@signalbox/messages/say';
import { READ_DEFAULTS, tool } from '../../tools/tool.ts';
import { findService, OptionalEnvironment, ProjectArg, SERVICE_SCOPE, unwrapJob } from './asked-service.ts';
import { formatCode } from './sentences.ts';

/** The characters of an answer that a person is shown; the model gets 2,000. */
const SHOWN = 1_000;

/** Only a path: the host and the port are always those of the product's own service. */
const AddressPath = z
  .string()
  .trim()
  .max(500)
  .regex(/^\/(?![/\\])[^\s\\#]*$/, 'a path begins with one slash and has no spaces, such as /health or /orders?page=2')
  .refine((path) => !/\p{Cc}/u.test(path), 'a path has no control characters');

export const probeAddress = tool({
  describe: 'GET a path of a deployed service, as a visitor: status, time, type, size and the beginning of the answer.',
  hints: [
    'request /health of shop in staging',
    'what does /orders of shop answer in production',
    'get the page /about of blog on staging',
    'open /index.html of shop on staging',
    'call the address /status of shop',
    'fetch the path /api/prices of shop in production',
  ],
  input: z.object({
    project: ProjectArg,
    environment: OptionalEnvironment,
    path: AddressPath.default('/').describe('Path with its query, such as /health or /orders?page=2'),
  }),
  ...READ_DEFAULTS,
  egress: true,
  ...SERVICE_SCOPE,
  deadlineMs: 20_000,
  run: async ({ path, ...asked }, context) => {
    const service = await findService(context.ports, asked);
    return { path, ...service, ...unwrapJob(await context.work('service.request', { ...service, path })) };
  },
  phrases: {
    done: (found) => {
      if (found.state === 'goes-on') return say('diagnose.goesOn');
      const { project, environment, status, location, text, contentType, sizeBytes, isCut, ms, problem } = found;
      const at = { project, environment, path: formatCode(found.path), time: formatSeconds(ms) };
      if (status === null) return say('diagnose.noAddress', { ...at, problem: problem ?? '' });
      const head = say('diagnose.address', {
        ...at,
        status,
        hasType: contentType !== null,
        type: formatCode(contentType ?? ''),
        size: sizeBytes,
        isCut,
        isRedirect: location !== null,
        location: formatCode(location ?? ''),
      });
      return text === null || text === '' ? head : `${head}\n\n${toCodeBlock(text.slice(0, SHOWN))}`;
    },
  },
}).from({
  path: 'outside',
  project: 'name',
  environment: 'runtime',
  state: 'runtime',
  release: 'ref',
  status: 'runtime',
  ms: 'runtime',
  contentType: 'outside',
  location: 'outside',
  sizeBytes: 'runtime',
  isCut: 'runtime',
  text: 'outside',
  problem: 'outside',
});
