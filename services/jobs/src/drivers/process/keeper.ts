/** So much of a log is kept: two files of this size. */
export const LOG_BYTES = 10 * 1024 * 1024;

/**
 * What a program writes, line by line with its time, into `log` of the instance's folder; a full log becomes `log.1`, in the place
 * of the one before, so a program cannot fill the disk. Each second it looks how much memory the program's session has, and ends it
 * when that is more than `memoryMb` of spec.json, which `oom` then says. A plain program of its own: see shim.ts for why.
 *
 * A line: `2026-01-31T12:00:00.000Z o text`; `o` for what came on the standard output, `e` for errors.
 */
export const KEEPER = String.raw`'use strict';
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');

const LONGEST = 16384;
const folder = process.argv[2];
const file = path.join(folder, 'log');
const { memoryMb, logBytes } = JSON.parse(fs.readFileSync(path.join(folder, 'spec.json'), 'utf8'));
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {});

let fd = fs.openSync(file, 'a', 0o600);
let size = fs.fstatSync(fd).size;
function write(mark, line) {
  const bytes = Buffer.from(new Date().toISOString() + ' ' + mark + ' ' + line + '\n');
  try {
    if (size + bytes.length > logBytes) {
      fs.closeSync(fd);
      fs.renameSync(file, file + '.1');
      fd = fs.openSync(file, 'a', 0o600);
      size = 0;
    }
    size += fs.writeSync(fd, bytes);
  } catch {
    // The disk is full, or the folder was taken away: the program goes on without a log.
  }
}

function follow(source, mark) {
  let rest = '';
  let flushing = null;
  const flush = () => {
    if (rest !== '') write(mark, rest);
    rest = '';
  };
  const socket = new net.Socket({ fd: source, readable: true, writable: false });
  socket.setEncoding('utf8');
  socket.on('error', () => {});
  socket.on('data', (text) => {
    clearTimeout(flushing);
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const clean = line.replace(/\r$/, '');
      for (let at = 0; at === 0 || at < clean.length; at += LONGEST) write(mark, clean.slice(at, at + LONGEST));
    }
    while (rest.length > LONGEST) {
      write(mark, rest.slice(0, LONGEST));
      rest = rest.slice(LONGEST);
    }
    flushing = setTimeout(flush, 1000);
  });
  socket.on('end', flush);
  socket.on('close', () => {
    clearTimeout(flushing);
    flush();
  });
  socket.resume();
}
follow(0, 'o');
follow(5, 'e');

function membersOf(leader) {
  return fs.readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const stat = fs.readFileSync('/proc/' + pid + '/stat', 'utf8');
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3] === leader;
    } catch {
      return false;
    }
  });
}
function shareKb(pid) {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(fs.readFileSync('/proc/' + pid + '/smaps_rollup', 'utf8'))[1]);
  } catch {
    return 0;
  }
}
setInterval(() => {
  try {
    const leader = fs.readFileSync(path.join(folder, 'pid'), 'utf8').split(' ')[0];
    if (!/^\d+$/.test(leader)) return;
    const members = membersOf(leader);
    const usedMb = members.reduce((sum, pid) => sum + shareKb(pid), 0) / 1024;
    if (usedMb <= memoryMb) return;
    fs.writeFileSync(path.join(folder, 'oom'), leader + '\n');
    write('e', 'ended by Signalbox: it had ' + Math.round(usedMb) + ' MB of memory, and may have ' + memoryMb + ' MB');
    for (const pid of members) process.kill(Number(pid), 'SIGKILL');
  } catch {
    // Not started yet, or ending now: the next look tells.
  }
}, 1000).unref();
`;
