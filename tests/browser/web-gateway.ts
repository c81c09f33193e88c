import type { AddressInfo } from 'node:net';
import {
  CLOSE_CODES,
  ClientFrame,
  type PageComponent,
  type PatchStep,
  type ServerFrame,
} from '@signalbox/contracts/conversation/frames';
import { SignIn, type PageSession } from '@signalbox/contracts/conversation/page-session';
import { registerPage } from '@signalbox/gateway/channels/web/page-routes';
import fastify from 'fastify';
import { WebSocketServer, type WebSocket } from 'ws';

type Said<T extends ClientFrame['type']> = Extract<ClientFrame, { type: T }>['payload'];

/** A gateway that says what a test wants: the real page, and the frames of the web channel played by the test. */
export interface PlayedGateway {
  readonly url: string;
  /** Who is signed in; null: nobody. */
  person: PageSession['person'];
  readonly demoPeople: PageSession['demoPeople'][number][];
  /** Codes that sign Ada in, once each. */
  readonly codes: Set<string>;
  /** Closes sockets with this code as they come. */
  refuseWith: number | null;
  /** Whether what people write is confirmed. */
  confirms: boolean;
  /** Messages that were taken, each id once, in their order; and how often each id came. */
  readonly messages: Said<'client.message'>[];
  readonly timesSaid: ReadonlyMap<string, number>;
  readonly actions: Said<'client.action'>[];
  readonly modes: Said<'client.mode.update'>[];
  /** What each socket was opened with. */
  readonly opened: URLSearchParams[];
  /** Puts a component at the end, or in its place when it is there. */
  put(component: Pick<PageComponent, 'id' | 'type' | 'props'> & Partial<PageComponent>): void;
  remove(id: string): void;
  /** Says something that is not kept. */
  tell(frame: Tell): void;
  /** Ends every socket as a lost network does, or with a code. */
  drop(code?: number): void;
  close(): Promise<void>;
}

type Tell = {
  [T in ServerFrame['type']]: Pick<Extract<ServerFrame, { type: T }>, 'type' | 'payload'>;
}[ServerFrame['type']];

const SESSION = '1001';
const AT = '2026-03-02T10:31:00.000Z';

/** Opens one on a free port. */
export async function openPlayedGateway(): Promise<PlayedGateway> {
  const app = fastify({ forceCloseConnections: true });
  const sockets = new Set<WebSocket>();
  const patches: { readonly seq: number; readonly steps: readonly PatchStep[] }[] = [];
  const places = new Map<string, number>();
  const timesSaid = new Map<string, number>();
  const send = (socket: WebSocket, frame: Tell): void =>
    socket.send(JSON.stringify({ ...frame, ts: new Date().toISOString(), sessionId: SESSION }));
  const patch = (steps: PatchStep[]): void => {
    const payload = { seq: patches.length + 1, steps };
    patches.push(payload);
    for (const socket of sockets) send(socket, { type: 'server.a2ui.patch', payload });
  };
  const gateway: PlayedGateway = {
    url: '',
    person: null,
    demoPeople: [],
    codes: new Set(),
    refuseWith: null,
    confirms: true,
    messages: [],
    timesSaid,
    actions: [],
    modes: [],
    opened: [],
    put: (component) => {
      const place = component.place ?? places.get(component.id) ?? places.size;
      places.set(component.id, place);
      patch([{ op: 'put', component: { version: '', children: [], ...component, place } }]);
    },
    remove: (id) => patch([{ op: 'remove', id }]),
    tell: (frame) => sockets.forEach((socket) => send(socket, frame)),
    drop: (code) => sockets.forEach((socket) => (code === undefined ? socket.terminate() : socket.close(code))),
    close: async () => {
      gateway.drop();
      await app.close();
    },
  };
  const take = ({ type, payload }: ClientFrame): void => {
    if (type === 'client.mode.update') return void gateway.modes.push(payload);
    const times = timesSaid.get(payload.id) ?? 0;
    timesSaid.set(payload.id, times + 1);
    if (type === 'client.action') return void (times === 0 && gateway.actions.push(payload));
    if (times === 0) gateway.messages.push(payload);
    if (!gateway.confirms) return undefined;
    const props = { from: 'person', text: payload.text, at: AT, messageId: payload.id };
    return gateway.put({ id: `said-${payload.id}`, type: 'Message', props });
  };

  await registerPage(app);
  app.get('/session', () => ({ person: gateway.person, demoPeople: gateway.demoPeople, commands: COMMANDS }));
  app.post('/session', (request, reply) => {
    const how = SignIn.parse(request.body);
    const chosen = 'person' in how ? gateway.demoPeople.find(({ id }) => id === how.person) : null;
    const isGood = 'code' in how ? gateway.codes.delete(how.code) : chosen !== undefined;
    if (!isGood) return reply.code(401).send();
    gateway.person = chosen ? { name: chosen.name, role: chosen.role } : { name: 'Ada', role: 'admin' };
    return reply.code(204).send();
  });
  app.delete('/session', (_request, reply) => {
    gateway.person = null;
    return reply.code(204).send();
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo; // it listens on a port
  const server = new WebSocketServer({ server: app.server, path: '/ws' });
  server.on('connection', (socket, { url }) => {
    const query = new URL(url ?? '', 'http://localhost').searchParams;
    gateway.opened.push(query);
    if (gateway.refuseWith !== null) return socket.close(gateway.refuseWith);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('message', (data) => {
      const frame = ClientFrame.parse(JSON.parse(String(data)));
      if (frame.sessionId === SESSION) take(frame);
      else socket.close(CLOSE_CODES.badFrame);
    });
    if (query.get('after') === null)
      send(socket, { type: 'server.a2ui.patch', payload: { seq: 0, steps: [{ op: 'clear' }] } });
    for (const one of patches)
      if (one.seq > Number(query.get('after') ?? 0))
        send(socket, { type: 'server.a2ui.patch', payload: { ...one, steps: [...one.steps] } });
    return undefined;
  });
  return Object.assign(gateway, { url: `http://127.0.0.1:${port}` });
}

const COMMANDS: PageSession['commands'] = [
  { command: 'help', description: 'What I can do' },
  { command: 'status', description: 'What is going on' },
  { command: 'stop', description: 'Stop what I am doing for you' },
];
