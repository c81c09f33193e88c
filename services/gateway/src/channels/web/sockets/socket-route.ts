import type { WebSocket } from '@fastify/websocket';
import { CLOSE_CODES, type PageAgent } from '@signalbox/contracts/conversation/frames';
import { PageMode } from '@signalbox/contracts/conversation/page-mode';
import type { Log } from '@signalbox/platform/log';
import { isTransient } from '@signalbox/store/pool';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { getSession, SESSION_NAME_PATTERN, toChatKey } from '../chat-key.ts';
import { parseAcceptLanguage } from '../languages.ts';
import type { Login } from '../sign-in/logins.ts';
import type { PageHub } from './hub.ts';
import type { UpdateIntake } from './intake.ts';
import { PageSocket, type PageSocketOptions } from './page-socket.ts';
import { readPageFrames } from './page-reader.ts';

/*
 * A socket, from its request to its first frame:
 *
 * origin → query → limit of pages: refused with a status before the upgrade
 * → login → agent: if wrong, or Postgres is away, upgraded and closed at once with the reason
 * → open: frames are read and sent
 */

const Query = z.object({
  agent: z.string().min(1).max(80).optional(),
  session: z.string().regex(SESSION_NAME_PATTERN).optional(),
  after: z.coerce.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER).optional(),
  /** The initial page mode; `client.mode.update` changes it. */
  mode: PageMode.shape.mode.default('text'),
  device: PageMode.shape.device.default('desktop'),
});
type Query = z.infer<typeof Query>;

/** The room for a close reason, in bytes. */
const MAX_REASON_LENGTH = 120;

export interface SocketRouteDeps {
  readonly hub: PageHub;
  readonly intake: UpdateIntake;
  readonly isOwnOrigin: (headers: FastifyRequest['headers']) => boolean;
  /** The login of a request; null without one. Throws when Postgres is away. */
  readonly findLogin: (request: FastifyRequest) => Promise<Login | null>;
  readonly agents: () => Promise<readonly string[]>;
  /** Switches the agent of a chat. False when there is no such agent. */
  readonly chooseAgent: (chat: { readonly userKey: string; readonly chatKey: string }, id: string) => Promise<boolean>;
  readonly read: PageSocketOptions['read'];
  /** The agent that answers a person in a chat, in the words of a language; null while there is none. */
  readonly findAgent: (
    chat: { readonly userKey: string; readonly chatKey: string },
    language: string | null,
  ) => Promise<PageAgent | null>;
  readonly speaker: PageSocketOptions['speaker'];
  readonly log: Log;
  readonly slowMs?: number | undefined;
}

interface Visit extends ResolvedLogin {
  readonly query: Query;
}

interface ResolvedLogin {
  readonly login: Login | null;
  /** The known agents when the requested agent is unknown; otherwise null. */
  readonly otherAgents: readonly string[] | null;
}

/** Adds `GET /ws` to an app with @fastify/websocket. */
export function addSocketRoute(app: FastifyInstance, deps: SocketRouteDeps): void {
  const visits = new WeakMap<FastifyRequest, Visit>();
  app.get(
    '/ws',
    {
      websocket: true,
      onRequest: async (request, reply) => (deps.isOwnOrigin(request.headers) ? undefined : refuse(reply, 403)),
      preValidation: async (request, reply) => {
        const query = Query.safeParse(request.query).data;
        if (!query) return refuse(reply, 400);
        const found = await find(deps, request, query);
        if (typeof found === 'number') return refuse(reply, found);
        if (found !== 'away') visits.set(request, { query, ...found });
        return undefined;
      },
    },
    (socket, request) => {
      const visit = visits.get(request);
      if (!visit) return socket.close(CLOSE_CODES.tryAgain, 'try again');
      const { query, login, otherAgents } = visit;
      if (!login) return socket.close(CLOSE_CODES.notSignedIn, 'not signed in');
      if (otherAgents) {
        deps.log.warn('a page asks for an agent that there is not', { agent: query.agent, userKey: login.userKey });
        return socket.close(CLOSE_CODES.unknownAgent, toReason(otherAgents));
      }
      return openPage(socket, request, deps, { query, login });
    },
  );
}

/** Checks login and request; a status refuses them. `away`: the database is not reachable. */
async function find(
  deps: SocketRouteDeps,
  request: FastifyRequest,
  query: Query,
): Promise<ResolvedLogin | number | 'away'> {
  try {
    const login = await deps.findLogin(request);
    const status = login && deps.hub.refusal(login.userKey);
    return status ?? { login, otherAgents: await findOtherAgents(deps, query, login) };
  } catch (error) {
    if (!isTransient(error)) throw error;
    deps.log.warn('a page is to come again: nothing can be looked up', { error });
    return 'away';
  }
}

/** Switches to the agent that a newly opened page requests; returns the known ids when there is none. Reconnecting changes nothing. */
async function findOtherAgents(
  deps: SocketRouteDeps,
  { agent, session, after }: Query,
  login: Login | null,
): Promise<readonly string[] | null> {
  if (agent === undefined || login === null) return null;
  if (after !== undefined) {
    const agents = await deps.agents();
    return agents.includes(agent) ? null : agents;
  }
  const { userKey, person } = login;
  const isChosen = await deps.chooseAgent({ userKey, chatKey: toChatKey(person, session) }, agent);
  return isChosen ? null : deps.agents();
}

function openPage(
  socket: WebSocket,
  request: FastifyRequest,
  { hub, intake, read, findAgent, speaker, log, slowMs }: SocketRouteDeps,
  { query, login }: { readonly query: Query; readonly login: Login },
): void {
  const { userKey, person, name, hash } = login;
  const chatKey = toChatKey(person, query.session);
  const language = parseAcceptLanguage(request);
  const page = new PageSocket({
    socket,
    chatKey,
    sessionId: getSession(chatKey),
    login: hash,
    userKey,
    after: query.after ?? null,
    mode: { mode: query.mode, device: query.device },
    read,
    agent: () => findAgent({ userKey, chatKey }, language),
    speaker,
    log,
    slowMs,
  });
  socket.on('close', () => hub.remove(page));
  readPageFrames({
    socket,
    page,
    intake,
    log,
    visitor: { chatKey, userKey, name, language },
  });
  hub.add(page);
}

function refuse(reply: FastifyReply, status: number): FastifyReply {
  return reply.code(status).header('connection', 'close').send();
}

function toReason(agents: readonly string[]): string {
  const names = agents.join(', ') || 'none';
  return Buffer.byteLength(names) <= MAX_REASON_LENGTH
    ? names
    : Buffer.from(names)
        .subarray(0, MAX_REASON_LENGTH - 4)
        .toString()
        .replace(/[^,]*$/, '…');
}
