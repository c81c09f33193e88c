import { connect } from 'node:net';

/** The result of a login, as for Postgres. */
export type RedisLogin = 'ours' | 'other' | 'refused' | 'absent';

/**
 * Logs in to a local Redis and compares its process id and folder, within two seconds. Raw commands, because a client library would
 * reconnect.
 */
export async function tryRedisLogin(
  port: number,
  password: string,
  expected: { readonly pid: number; readonly dir: string },
): Promise<RedisLogin> {
  const text = await ask(port, [`AUTH ${password}`, 'PING', 'INFO server', 'CONFIG GET dir', 'QUIT']);
  if (text === null) return 'absent';
  if (text.startsWith('-WRONGPASS') || text.startsWith('-ERR')) return 'refused';
  const ours = text.includes(`process_id:${expected.pid}\r\n`) && text.includes(`\r\n${expected.dir}\r\n`);
  if (!ours) return 'other';
  return text.includes('+PONG') ? 'ours' : 'absent'; // no PONG while it loads its data
}

function ask(port: number, commands: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port, timeout: 2_000 });
    socket.setEncoding('utf8');
    socket.on('connect', () => socket.write(commands.map((command) => `${command}\r\n`).join('')));
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => undefined); // no server: `close` follows
    socket.on('close', () => resolve(text === '' ? null : text));
  });
}
