import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import ssh2 from 'ssh2';

/** An ssh server in this process: it lets anybody in who has a key, and has neither programs nor an engine. */
export interface SshLogin {
  readonly port: number;
  readonly fingerprint: string;
  /** How often somebody connected. */
  readonly connections: number;
  /** How often somebody tried to log in. */
  readonly logins: number;
  /** Shows another host key from the next connection on. */
  changeKey(): Promise<string>;
  close(): Promise<void>;
}

/** A private key as people have it. One in two hundred that the library makes it cannot read itself. */
export function newSshKey(): string {
  for (;;) {
    const key = ssh2.utils.generateKeyPairSync('ed25519').private;
    if (!(ssh2.utils.parseKey(key) instanceof Error)) return key;
  }
}

export async function openSshLogin(): Promise<SshLogin> {
  let logins = 0;
  let connected = 0;
  const connections = new Set<{ end(): void }>();
  const start = async (key: string, port: number): Promise<ssh2.Server> => {
    const server = new ssh2.Server({ hostKeys: [key] }, (client) => {
      connected += 1;
      connections.add(client);
      client.on('error', () => undefined); // whoever does not trust the key hangs up
      client.on('close', () => connections.delete(client));
      client.on('authentication', (attempt) => {
        logins += 1;
        if (attempt.method === 'publickey') attempt.accept();
        else attempt.reject(['publickey']);
      });
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return server;
  };
  const stop = (server: ssh2.Server): Promise<void> =>
    new Promise((resolve) => {
      for (const client of connections) client.end();
      server.close(() => resolve());
    });
  let key = newHostKey();
  let server = await start(key.text, 0);
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    port,
    get fingerprint() {
      return key.fingerprint;
    },
    get connections() {
      return connected;
    },
    get logins() {
      return logins;
    },
    changeKey: async () => {
      await stop(server);
      key = newHostKey();
      server = await start(key.text, port);
      return key.fingerprint;
    },
    close: () => stop(server),
  };
}

function newHostKey(): { readonly text: string; readonly fingerprint: string } {
  const text = newSshKey();
  const parsed = ssh2.utils.parseKey(text);
  if (parsed instanceof Error) throw parsed;
  const digest = createHash('sha256').update(parsed.getPublicSSH()).digest('base64');
  return { text, fingerprint: `SHA256:${digest.replace(/=+$/, '')}` };
}
