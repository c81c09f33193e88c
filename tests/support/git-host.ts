import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { loadTestConfig } from './config.ts';

/** A host of repositories over https, as git's own server answers, that wants a login. */
export interface GitHost {
  /** The address of a repository below its folder. */
  addressOf(name: string): string;
  /** The headers `Authorization` that it was sent. */
  readonly logins: readonly (string | undefined)[];
  close(): Promise<void>;
}

/**
 * Serves the repositories below `folder` to whoever has the login `user:token`, and sends everything below `/moved/` to `movedTo`. Its
 * certificate is made anew in `trustDir`, as `ca.pem`.
 */
export async function openGitHost(options: {
  readonly folder: string;
  readonly login: string;
  readonly trustDir: string;
  readonly movedTo?: string;
}): Promise<GitHost> {
  const tls = makeCertificate(options.trustDir);
  const expected = `Basic ${Buffer.from(options.login).toString('base64')}`;
  const logins: (string | undefined)[] = [];
  const server = createServer(tls, (request, response) => {
    const { authorization } = request.headers;
    logins.push(authorization);
    if (options.movedTo && request.url?.startsWith('/moved/'))
      return response.writeHead(302, { location: `${options.movedTo}${request.url.slice('/moved'.length)}` }).end();
    if (authorization !== expected)
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end('a login is needed');
    return serveGit(options.folder, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    addressOf: (repository) => `https://localhost:${port}/${repository}`,
    logins,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A new certificate for localhost, whose authority lies in `trustDir` as `ca.pem`. */
export function makeCertificate(trustDir: string): { readonly key: Buffer; readonly cert: Buffer } {
  const [key, certificate] = [join(trustDir, 'key.pem'), join(trustDir, 'ca.pem')];
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [...words, ...name, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(certificate) };
}

/** Git's own answer, by the interface that web servers run programs with (RFC 3875). */
export function serveGit(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'https://localhost');
  const { path } = loadTestConfig();
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: path,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: String(request.headers['content-encoding'] ?? ''),
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      // Whoever logged in may push where the repository allows it.
      REMOTE_USER: request.headers.authorization ? 'somebody' : '',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  child.once('close', () => {
    const answer = Buffer.concat(parts);
    const end = answer.indexOf('\r\n\r\n');
    const headers = answer.subarray(0, end).toString('utf8').split('\r\n');
    const status = Number(/^Status: (\d+)/m.exec(headers.join('\n'))?.[1] ?? 200);
    for (const header of headers.filter((one) => !one.startsWith('Status:'))) {
      const [name = '', value = ''] = header.split(': ');
      response.setHeader(name, value);
    }
    response.writeHead(status).end(answer.subarray(end + 4));
  });
}
