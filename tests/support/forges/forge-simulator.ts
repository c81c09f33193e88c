import { execFileSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isSignedBy } from '@signalbox/forge-simulator/app-token';
import { loadTestConfig } from '../config.ts';
import { makeCertificate, serveGit } from '../git-host.ts';
import { readForgeDescription } from './description.ts';
import { FORGE_WORDS } from './forge-words.ts';
import type { Fault, ForgeSimulator, SimulatedKind, SimulatedPull } from './simulated-forge.ts';

/** Serves one repository `ada/shop` below `folder` as a forge does: with git's own server, and an API that is checked by its description. */
export async function openForgeSimulator(
  kind: SimulatedKind,
  { folder, trustDir, token }: { readonly folder: string; readonly trustDir: string; readonly token: string },
): Promise<ForgeSimulator> {
  const description = readForgeDescription(kind);
  const words = FORGE_WORDS[kind];
  const bare = join(folder, 'ada/shop.git');
  const git = (...parts: string[]): string =>
    execFileSync('git', ['-C', bare, ...parts], { encoding: 'utf8', env: { PATH: loadTestConfig().path } }).trim();
  git('config', 'http.receivepack', 'true');
  const [pulls, checks, faults, requests, problems]: [
    SimulatedPull[],
    ForgeSimulator['checks'],
    Fault[],
    string[],
    string[],
  ] = [[], [], [], [], []];
  const tokens = [token];
  const repository = { isArchived: false };

  const answer = (request: IncomingMessage, response: ServerResponse, text: string): void => {
    const url = new URL(request.url ?? '/', 'https://localhost');
    const path = url.pathname.slice(words.apiPath.length);
    const method = request.method ?? 'GET';
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    requests.push(`${method} ${path}`);
    const send = (status: number, content: unknown, headers = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(content));
    };
    const fault = faults.find(({ at, times = 1 }) => times > 0 && at.test(`${method} ${path}`));
    if (fault) fault.times = (fault.times ?? 1) - 1;
    if (fault?.hangs) return;
    if (fault?.status !== undefined) {
      response
        .writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers })
        .end(fault.body ?? '{}');
      return;
    }
    const checked = description.checkRequest({ method, path, query: [...url.searchParams.keys()], body });
    if ('problem' in checked) {
      problems.push(checked.problem);
      return send(400, { message: checked.problem });
    }
    const { operation } = checked;
    const login = request.headers.authorization ?? '';
    const isJwt = operation.includes('installation');
    if (isJwt ? !isOfApp(login) : !tokens.some((one) => login === words.authorization(one)))
      return send(401, { message: 'Bad credentials' });
    const done = words.carryOut({ operation, path, body, query: url.searchParams, simulator, headOf });
    if (fault?.hangsAfter) return;
    if (fault?.breaksAfter) {
      request.socket.destroy();
      return;
    }
    try {
      send(done.status, description.buildAnswer(operation, done.status, done.body));
    } catch (error) {
      problems.push(String(error));
      send(500, {});
    }
  };
  const isOfApp = (login: string): boolean => {
    const { app } = simulator;
    return (
      app !== null && isSignedBy({ id: app.id, publicKey: createPublicKey(app.key) }, login.replace('Bearer ', ''))
    );
  };
  const headOf = (branch: string): string | null => {
    try {
      return git('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
    } catch {
      return null;
    }
  };
  const server = createServer(makeCertificate(trustDir), (request, response) => {
    if (request.url?.startsWith(`${words.apiPath}/`)) {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.once('end', () => answer(request, response, Buffer.concat(parts).toString('utf8')));
      return;
    }
    const { authorization = '' } = request.headers;
    const [, password] = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString('utf8').split(':');
    if (!tokens.includes(password ?? ''))
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('a login is needed');
    if (repository.isArchived && request.url?.includes('receive-pack'))
      return response.writeHead(403).end('This repository was archived so it is read-only.');
    return serveGit(folder, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const web = `https://localhost:${port}`;
  const simulator: ForgeSimulator = {
    web,
    api: `${web}${words.apiPath}`,
    pulls,
    checks,
    faults,
    requests,
    problems,
    tokens,
    repository,
    app: null,
    git,
    protect(beginning) {
      const hook = join(bare, 'hooks/update');
      writeFileSync(
        hook,
        `#!/bin/sh\ncase "$1" in refs/heads/${beginning}*) echo "${words.isProtected}" >&2; exit 1;; esac\n`,
      );
      chmodSync(hook, 0o755);
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return simulator;
}
