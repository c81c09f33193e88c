import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { tryOr } from '@signalbox/contracts/system-error';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** The state of a socket that listens, as the kernel writes it. */
const LISTENING = '0A';

/** Finds the TCP ports on which processes listen, lowest first; none on a system without /proc. */
export function findListeningPorts(pids: readonly number[]): readonly number[] {
  const sockets = new Set(pids.flatMap(listSockets));
  const ports = TABLES.flatMap((table) => tryOr(() => readFileSync(table, 'utf8'), '').split('\n')).flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    return state === LISTENING && sockets.has(inode) ? [Number.parseInt(local.split(':')[1] ?? '', 16)] : [];
  });
  return [...new Set(ports)].toSorted((one, other) => one - other);
}

/** The inodes of a process's sockets; none for a process that ended or belongs to somebody else. */
function listSockets(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return tryOr(() => readdirSync(folder), []).flatMap((name) => {
    const target = tryOr(() => readlinkSync(`${folder}/${name}`), '');
    return /^socket:\[(\d+)\]$/.exec(target)?.slice(1) ?? [];
  });
}
