import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { getCACertificates } from 'node:tls';
import { join } from 'node:path';
import { quoteShellWord } from '../drivers/quote-shell-word.ts';

/*
 * The only way out of a sandbox that fetches dependencies. Inside, a relay listens on the loopback of the sandbox's own network and passes
 * connections to a unix socket; outside, this process connects them to listed hosts on port 443, and to nothing else.
 *
 *   npm ──CONNECT host:443──▶ relay (inside) ──unix socket──▶ door (outside) ──▶ listed registries
 */

export interface RegistryDoor {
  open(): {
    /** Folder with the socket and the relay, to be mounted read-only at its own path. */
    readonly folder: string;
    readonly variables: Readonly<Record<string, string>>;
    /** Puts the relay around a command. */
    wrap(command: string): string;
  };
  close(): Promise<void>;
}

const PORT = 8_899;
const HTTPS = 443;
const MAX_HEADER_BYTES = 8_192;
const HEADER_MS = 10_000;
const IDLE_MS = 120_000;

const RELAY = `import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
const [socket, command] = process.argv.slice(2);
const server = createServer((inside) => {
  const outside = connect(socket);
  inside.on('error', () => outside.destroy());
  outside.on('error', () => inside.destroy());
  inside.pipe(outside).pipe(inside);
});
server.listen(${PORT}, '127.0.0.1', () => {
  const child = spawn('/bin/sh', ['-c', command], { stdio: 'inherit' });
  child.on('close', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
});
`;

/** Variables by which package managers find the certificate authorities that they trust. */
const AUTHORITY_VARIABLES = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'PIP_CERT',
  'REQUESTS_CA_BUNDLE',
  'CARGO_HTTP_CAINFO',
];

/**
 * Opens the door. `hosts`: names that may be reached; `proxy`: an HTTP proxy of this machine, through which they are reached;
 * `authorities`: certificates beside those of Node and of this machine. What a network puts before registries is trusted inside too.
 */
export async function openRegistryDoor({
  hosts,
  proxy,
  authorities = '',
}: {
  readonly hosts: readonly string[];
  readonly proxy: string | null;
  readonly authorities?: string | undefined;
}): Promise<RegistryDoor> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-door-'));
  const [socket, relay] = [join(folder, 's'), join(folder, 'relay.mjs')];
  writeFileSync(relay, RELAY, { mode: 0o444 });
  const trusted = join(folder, 'ca.pem');
  const known = new Set([...getCACertificates('default'), ...getCACertificates('system'), authorities]);
  writeFileSync(trusted, [...known].join('\n'), { mode: 0o444 });
  const open = new Set<Socket>();
  const server = createServer((client) => {
    open.add(client);
    client.on('close', () => open.delete(client));
    admit(client, hosts, proxy);
  });
  await listen(server, socket);
  const address = `http://127.0.0.1:${PORT}`;
  const variables = Object.fromEntries(
    ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'npm_config_https_proxy', 'npm_config_proxy'].map(
      (name) => [name, address],
    ),
  );
  for (const name of AUTHORITY_VARIABLES) variables[name] = trusted;
  return {
    open: () => ({
      folder,
      variables,
      wrap: (command) => `exec node ${quoteShellWord(relay)} ${quoteShellWord(socket)} ${quoteShellWord(command)}`,
    }),
    close: async () => {
      for (const client of open) client.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Reads the request of one connection and connects a listed host; any other request is refused. */
function admit(client: Socket, hosts: readonly string[], proxy: string | null): void {
  let head = Buffer.alloc(0);
  const late = setTimeout(() => client.destroy(), HEADER_MS);
  client.on('error', () => client.destroy());
  client.on('close', () => clearTimeout(late));
  const read = (part: Buffer): void => {
    head = Buffer.concat([head, part]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) {
      if (head.length > MAX_HEADER_BYTES) client.destroy();
      return;
    }
    client.off('data', read);
    client.pause();
    clearTimeout(late);
    const [, host = '', port = ''] =
      /^CONNECT ([a-z0-9.-]+):(\d{1,5}) HTTP\/1\.[01]\r\n/i.exec(head.toString('latin1')) ?? [];
    if (!hosts.includes(host.toLowerCase()) || Number(port) !== HTTPS) {
      client.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    pass(client, host.toLowerCase(), proxy, head.subarray(end + 4));
  };
  client.on('data', read);
}

function pass(client: Socket, host: string, proxy: string | null, rest: Buffer): void {
  const via = proxy === null ? null : new URL(proxy);
  const server = via ? connect(Number(via.port || '80'), via.hostname) : connect(HTTPS, host);
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.setTimeout(IDLE_MS, () => one.destroy());
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
  server.once('connect', () => {
    // The machine's proxy answers the request itself.
    const login = via?.username
      ? `proxy-authorization: Basic ${Buffer.from(`${decodeURIComponent(via.username)}:${decodeURIComponent(via.password)}`).toString('base64')}\r\n`
      : '';
    if (via) server.write(`CONNECT ${host}:${HTTPS} HTTP/1.1\r\nhost: ${host}:${HTTPS}\r\n${login}\r\n`);
    else client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (rest.length > 0) server.write(rest);
    client.pipe(server).pipe(client);
    client.resume();
  });
}

function listen(server: Server, socket: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
}
