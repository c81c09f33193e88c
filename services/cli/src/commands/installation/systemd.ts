import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { JobPool } from '@signalbox/contracts/operations/jobs';
import { UsageError, type CommandContext, type CommandResult } from '../../command.ts';

const CHECKOUT = fileURLToPath(new URL('../../../../../', import.meta.url));
const SETTINGS = '/etc/signalbox';
const TARGET = 'signalbox.target';
/** A service drains for 12 seconds. */
const STOP_SECONDS = 20;

/** A file of systemd: its name, and its sections. */
export interface Unit {
  readonly name: string;
  readonly text: string;
}

/** `systemd <folder>`: writes units and a target that run the services of this checkout with this Node. Replaces older ones. */
export async function runSystemd(context: CommandContext): Promise<CommandResult> {
  const [folder, ...more] = context.arguments.words;
  if (folder === undefined || more.length > 0) throw new UsageError();
  const units = buildUnits({ checkout: resolve(CHECKOUT), node: process.execPath });
  await mkdir(folder, { recursive: true });
  for (const { name, text } of units) await writeFile(join(folder, name), text);
  const names = units.map(({ name }) => name);
  const lines = [
    `Wrote ${units.length} files to ${resolve(folder)}: ${names.join(', ')}.`,
    `Each service reads ${SETTINGS}/common.env and a file of its own, such as ${SETTINGS}/gateway.env: see docs/operations.md.`,
    `  systemctl daemon-reload && systemctl enable --now ${TARGET}`,
  ];
  return { ok: true, data: { folder: resolve(folder), units: names }, lines };
}

/** Builds the units of all services, of the migration that runs before them, and of the target that holds them together. Pure. */
export function buildUnits({ checkout, node }: { readonly checkout: string; readonly node: string }): readonly Unit[] {
  const services = [
    { name: 'proxy', program: 'proxy' },
    { name: 'gateway', program: 'gateway' },
    { name: 'worker', program: 'worker' },
    ...JobPool.options.map((pool) => ({ name: `jobs-${pool}`, program: 'jobs', pool })),
  ];
  const file = (name: string): string => `signalbox-${name}.service`;
  const migrate = {
    name: file('migrate'),
    text: toText({
      Unit: { Description: 'Signalbox: migrations', After: 'network-online.target', Wants: 'network-online.target' },
      Service: {
        Type: 'oneshot',
        RemainAfterExit: 'yes',
        ...runAs({ checkout, name: 'migrate' }),
        ExecStart: `${node} ${checkout}/services/cli/dist/main.js migrate`,
      },
      Install: { WantedBy: TARGET },
    }),
  };
  const units = services.map((service) => ({
    name: file(service.name),
    text: toText({
      Unit: {
        Description: `Signalbox: ${service.name}`,
        After: file('migrate'),
        Wants: file('migrate'),
        PartOf: TARGET,
      },
      Service: {
        ...runAs({ checkout, name: service.name }),
        ...('pool' in service ? { Environment: `JOBS_POOLS=${service.pool}` } : {}),
        ExecStart: `${node} ${checkout}/services/${service.program}/dist/main.js`,
        Restart: 'always',
        RestartSec: '2',
        TimeoutStopSec: String(STOP_SECONDS),
        // What was deployed here outlives the service that started it.
        KillMode: service.name === 'jobs-deploy' ? 'process' : 'mixed',
      },
      Install: { WantedBy: TARGET },
    }),
  }));
  const target = toText({
    Unit: { Description: 'Signalbox', Wants: [migrate, ...units].map(({ name }) => name).join(' ') },
    Install: { WantedBy: 'multi-user.target' },
  });
  return [{ name: TARGET, text: target }, migrate, ...units];
}

/** Settings of every service: a user of its own, its files of variables, and no more of the system than it needs. */
function runAs({ checkout, name }: { readonly checkout: string; readonly name: string }) {
  return {
    User: 'signalbox',
    WorkingDirectory: checkout,
    EnvironmentFile: [`-${SETTINGS}/common.env`, `${SETTINGS}/${name}.env`],
    StateDirectory: 'signalbox',
    NoNewPrivileges: 'yes',
    ProtectSystem: 'strict',
    ProtectHome: 'read-only',
    PrivateTmp: 'yes',
    UMask: '0077',
  };
}

type Sections = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

function toText(sections: Sections): string {
  const parts = Object.entries(sections).map(([section, settings]) => {
    const lines = Object.entries(settings).flatMap(([key, values]) =>
      [values].flat().map((value) => `${key}=${value}`),
    );
    return [`[${section}]`, ...lines].join('\n');
  });
  return `${parts.join('\n\n')}\n`;
}
