'use strict';

/**
 * What a program writes, line by line with its time, into `log` of the instance's folder; a full log becomes `log.1`, in the place
 * of the one before, so a program cannot fill the disk. Each second it looks at the program's session, its descendants and its control
 * group, and ends all of it when it has more memory than `memoryMb` of spec.json, which `oom` then says, or more processes and threads
 * than `tasks`. Where the kernel refuses more of those, a program that keeps at its limit for two looks is ended: one that multiplies
 * does nothing else any more. A plain program of its own: shim.sh says why.
 *
 * A line: `2026-01-31T12:00:00.000Z o text`; `o` for what came on the standard output, `e` for errors.
 */

const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');

const LONGEST = 16384;
const folder = process.argv[2];
const file = path.join(folder, 'log');
const {
  memoryMb,
  logBytes,
  tasks = null,
  groups = [],
} = JSON.parse(fs.readFileSync(path.join(folder, 'spec.json'), 'utf8'));
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

function read(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
/* The processes of the program with their threads: its session, its control group, and what descends from those. */
function membersOf(leader) {
  const rows = [];
  for (const pid of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const stat = read('/proc/' + pid + '/stat');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields.length > 17 && fields[0] !== 'Z')
      rows.push({ pid, parent: fields[1], session: fields[3], tasks: Number(fields[17]) });
  }
  const grouped = new Set(groups.flatMap((group) => read(path.join(group, 'cgroup.procs')).split('\n')));
  const family = new Set(rows.filter((row) => row.session === leader || grouped.has(row.pid)).map((row) => row.pid));
  for (let size = -1; size !== family.size;) {
    size = family.size;
    for (const row of rows) if (family.has(row.parent)) family.add(row.pid);
  }
  return rows.filter((row) => family.has(row.pid));
}
/* Stops all of it first, so that nothing of it can multiply while it is killed; the leader last, as the shim starts anew then. */
function end(leader) {
  const send = (pid, name) => {
    try {
      process.kill(Number(pid), name);
    } catch {
      // It has ended by itself.
    }
  };
  for (let stopped = -1, pass = 0; pass < 50; pass++) {
    const members = membersOf(leader);
    for (const { pid } of members) send(pid, 'SIGSTOP');
    if (members.length === stopped) break;
    stopped = members.length;
  }
  for (const { pid } of membersOf(leader)) if (pid !== leader) send(pid, 'SIGKILL');
  send(leader, 'SIGKILL');
}
/* How often the kernel has refused the group another process. */
function refusals() {
  const said = groups.map((group) => /^max (\d+)/m.exec(read(path.join(group, 'pids.events')))).find(Boolean);
  return said ? Number(said[1]) : 0;
}
function shareKb(pid) {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(fs.readFileSync('/proc/' + pid + '/smaps_rollup', 'utf8'))[1]);
  } catch {
    return 0;
  }
}
let [refused, full] = [refusals(), 0];
setInterval(() => {
  try {
    const leader = read(path.join(folder, 'pid')).split(' ')[0];
    if (!/^\d+$/.test(leader)) return;
    const members = membersOf(leader);
    const usedMb = members.reduce((sum, { pid }) => sum + shareKb(pid), 0) / 1024;
    const has = members.reduce((sum, row) => sum + row.tasks, 0);
    const now = refusals();
    full = tasks !== null && (has >= tasks || now > refused) ? full + 1 : 0;
    refused = now;
    if (usedMb > memoryMb) {
      fs.writeFileSync(path.join(folder, 'oom'), leader + '\n');
      write(
        'e',
        'ended by Signalbox: it had ' + Math.round(usedMb) + ' MB of memory, and may have ' + memoryMb + ' MB',
      );
      end(leader);
    } else if (tasks !== null && (has > tasks || full > 1)) {
      full = 0;
      write('e', 'ended by Signalbox: it had ' + has + ' processes and threads and wanted more, and may have ' + tasks);
      end(leader);
    }
  } catch {
    // Not started yet, or ending now: the next look tells.
  }
}, 1000).unref();
