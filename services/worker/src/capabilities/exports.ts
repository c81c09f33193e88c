import { z } from 'zod';
import { say } from '@signalbox/messages/say';
import { optionalProject, optionalServer, LOOK_UP_DEFAULTS, tool, toolGroup, withFiles } from '../tools/tool.ts';

type Cell = string | number | null;

export default toolGroup({
  name: 'exports',
  summary: 'Lists as files: export_allocations, export_projects.',
  uses: ['portAllocations', 'projects', 'servers'],
  tools: {
    export_allocations: tool({
      describe: 'Give the allocated ports as a CSV file: server, port, project, service, memory, who took it and when.',
      hints: [
        'export the allocations as csv',
        'export the port allocations',
        'allocations as a file',
        'download the allocations',
        'give me a csv of the allocated ports',
        'export the ports of shop as csv',
        'spreadsheet of the port allocations',
      ],
      input: z.object({
        server: optionalServer('Only this server', 'Of which server?'),
        project: optionalProject('Only this project'),
      }),
      ...LOOK_UP_DEFAULTS,
      deadlineMs: 10_000,
      run: async ({ server, project }, { ports, now }) => {
        // Throws for an unknown server, so that a mistyped name does not look like an empty list.
        if (server) await ports.servers.get(server);
        if (project) await ports.projects.get(project);
        const held = await ports.portAllocations.list({ server, project });
        const header = ['server', 'port', 'project', 'service', 'memory_mb', 'allocated_by', 'allocated_at'];
        const rows = held.map((one) => [
          one.server,
          one.port,
          one.project,
          one.service,
          one.memoryMb,
          one.allocatedBy,
          one.allocatedAt.toISOString(),
        ]);
        const name = fileName(['allocations', server, project], now());
        return withFiles({ file: name, rows: rows.length }, [csvFile(name, [header, ...rows])]);
      },
      phrases: { done: ({ file, rows }) => say('projects.allocations', { file, rows }) },
    }).from({ file: 'runtime', rows: 'runtime' }),

    export_projects: tool({
      describe:
        'Give the projects, archived ones included, as a CSV file: name, status, owner, repository, description.',
      hints: [
        'export the projects as csv',
        'export all projects',
        'projects as a file',
        'download the project list',
        'give me a csv of the projects',
        'spreadsheet of our projects',
      ],
      input: z.object({}),
      ...LOOK_UP_DEFAULTS,
      deadlineMs: 10_000,
      run: async (_input, { ports, now }) => {
        const projects = await ports.projects.list();
        const header = ['name', 'status', 'owner', 'repository', 'description', 'created_at', 'updated_at'];
        const rows = projects.map((one) => [
          one.name,
          one.status,
          one.ownerName,
          one.repository,
          one.description,
          one.createdAt.toISOString(),
          one.updatedAt.toISOString(),
        ]);
        const name = fileName(['projects'], now());
        return withFiles({ file: name, rows: rows.length }, [csvFile(name, [header, ...rows])]);
      },
      phrases: { done: ({ file, rows }) => say('projects.projects', { file, rows }) },
    }).from({ file: 'runtime', rows: 'runtime' }),
  },
});

function fileName(parts: readonly (string | undefined)[], now: Date): string {
  return `${[...parts, now.toISOString().slice(0, 10)].filter(Boolean).join('-')}.csv`;
}

function csvFile(name: string, rows: readonly (readonly Cell[])[]) {
  // RFC 4180: lines end with CRLF.
  const content = rows.map((row) => `${row.map(writeCell).join(',')}\r\n`).join('');
  return { name, mimeType: 'text/csv; charset=utf-8', content };
}

function writeCell(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const harmless = cell.replace(FORMULA, "$1'$2");
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Text that a spreadsheet would run as a formula. Some locales split cells at semicolons or tabs, even inside quotes. */
const FORMULA = /((?:^|[;\t\r\n\v\f\u0085\u2028\u2029])[\s"'\u200b-\u200f\ufeff]*)([=+\-@＝＋－−﹢﹣＠﹫]|^[\t\r\n])/gu;
