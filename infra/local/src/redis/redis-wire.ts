import { connect } from 'node:net';

/** How a login went; the meanings are those of the Postgres login. */
export type RedisLogin = 'ours' | 'other' | 'refused' | 'absent';

/**
 * Logs in to a local Redis and asks for its process id, its folder and whether it serves yet. One connection, three
 * questions, an answer within two seconds: a client library would bring reconnection that would have to be turned off.
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
  return text.includes('+PONG') ? 'ours' : 'absent'; // no PONG: it is still loading its data
}

function ask(port: number, commands: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port, timeout: 2_000 });
    socket.setEncoding('utf8');
    socket.on('connect', () => socket.write(commands.map((command) => `${command}\r\n`).join('')));
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => undefined); // no server: `close` follows and answers
    socket.on('close', () => resolve(text === '' ? null : text));
  });
}
