import { z } from 'zod';
import { NewEntityName, ProjectName, SecretHandle } from '@signalbox/contracts/conversation/fields';
import { AppError } from '@signalbox/contracts/errors';
import { buildFolderAddress, RepositoryFolder } from '@signalbox/contracts/repository-folder';
import {
  describeRepository,
  listVersions,
  SUMMARY_PENDING,
  createVersionButtons,
  type RepositorySummary,
} from '@signalbox/messages/repository-look';
import { say } from '@signalbox/messages/say';
import { findPlace, requireRepository, sayRepository } from './project-management/place.ts';
import { RUN_FIELDS, sayRun, toRunChange } from './project-management/run-settings.ts';
import { CHANGE_DEFAULTS, LOOK_UP_DEFAULTS, tool, toolGroup, type ToolContext } from '../tools/tool.ts';

const Status = z.enum(['intended', 'active', 'archived']);

const Repository = z
  .string()
  .trim()
  .max(300)
  .regex(
    /^(https?:\/\/|ssh:\/\/|file:\/\/\/|git@|\/|\.\/)\S+$/,
    'a repository is an address such as https://example.com/team/shop.git or git@example.com:team/shop.git, or a folder such as /srv/repositories/shop, or ./shop below REPOSITORIES_DIR',
  );

const Folder = RepositoryFolder.optional()
  .describe('Folder inside the repository, such as apps/web; its root when left out')
  .meta({ ask: 'In which folder of the repository is it?' });

const Login = SecretHandle.optional().describe(
  'Handle of its token (https) or deploy key (ssh), such as secret:shop-token',
);

/** The environments where a project has a service; `update_project` resolves them. */
const RunsIn = z.object({ runsIn: z.array(z.string()).default([]) });

/** The maximum projects in a chat message; `export_projects` lists all. */
const MAX_LISTED = 50;

const Description = z.string().trim().min(1).max(500);

const PROJECT_ORIGINS = { name: 'name', description: 'outside', repository: 'outside', status: 'runtime' } as const;

/** A call for “newest” would mean this version too. */
const LOOK_ORIGINS = { newest: { project: 'name', version: 'ref' }, look: 'outside' } as const;

export default toolGroup({
  name: 'project_management',
  summary: 'Create and manage projects: update_project changes description, repository or status.',
  uses: ['projects', 'portAllocations', 'demo', 'services'],
  tools: {
    list_projects: tool({
      describe: 'List the projects, the most recently changed first. Archived ones are left out unless asked for.',
      hints: [
        'list the projects',
        'show me all projects',
        'which projects do we have',
        'what projects are there',
        'my projects',
        'projects?',
        'list active projects',
      ],
      input: z.object({
        status: Status.optional()
          .describe('Only projects of this status')
          .meta({ ask: 'Intended, active or archived ones?' }),
      }),
      ...LOOK_UP_DEFAULTS,
      run: async ({ status }, { ports }) => {
        const all = await ports.projects.list();
        const wanted = all.filter((project) => (status ? project.status === status : project.status !== 'archived'));
        return {
          total: wanted.length,
          projects: wanted.slice(0, MAX_LISTED).map(({ name, description, status, ownerName }) => ({
            name,
            description,
            status,
            owner: ownerName,
          })),
        };
      },
      phrases: {
        done: ({ projects, total }, { status }) => {
          if (projects.length === 0)
            return status ? say('projects.noneOfStatus', { status: sayStatus(status) }) : say('projects.none');
          const lines = projects.map(({ name, status, description }) => `- ${nameProject(name, status, description)}`);
          const notListed =
            total > projects.length ? [say('projects.notListed', { count: total - projects.length })] : [];
          return [say('projects.list', { count: total }), lines.join('\n'), ...notListed].join('\n\n');
        },
      },
    }).from({ total: 'runtime', projects: { name: 'name', description: 'outside', status: 'runtime', owner: 'name' } }),

    get_project_status: tool({
      describe:
        'Show what is known of one project: description, repository, owner, status, its ports and servers, and runs in progress.',
      hints: [
        'status of shop',
        'how is the shop project doing',
        'tell me about shop',
        'what is the state of the blog project',
        'show project shop',
        'what do you know about shop',
        'who owns shop',
        'where is the repository of shop',
        'does shop have a description',
        'who is responsible for shop',
      ],
      input: z.object({ project: ProjectName }),
      ...LOOK_UP_DEFAULTS,
      run: async ({ project: name }, { ports }) => {
        const [project, allocations, openRuns] = await Promise.all([
          ports.projects.get(name),
          ports.portAllocations.list({ project: name }),
          ports.projects.openRuns(name),
        ]);
        return {
          name: project.name,
          description: project.description,
          repository: project.repository,
          status: project.status,
          owner: project.ownerName,
          createdAt: project.createdAt.toISOString(),
          updatedAt: project.updatedAt.toISOString(),
          ports: allocations.map(({ server, port, service, memoryMb }) => ({ server, port, service, memoryMb })),
          openRuns: openRuns.map(({ runId, job, status }) => ({ runId, job, status })),
        };
      },
      phrases: {
        done: ({ name, status, description, owner, repository, ports, openRuns }) => {
          const lines = [
            say('projects.owner', { owner }),
            say('projects.repository', sayRepository(repository)),
            ...(ports.length === 0 ? [say('projects.noPorts')] : ports.map((one) => say('projects.port', one))),
            ...(openRuns.length === 0 ? [say('projects.noRuns')] : openRuns.map((one) => say('projects.run', one))),
          ];
          return `${nameProject(name, status, description)}\n\n${lines.map((line) => `- ${line}`).join('\n')}`;
        },
      },
    }).from({
      name: 'name',
      description: 'outside',
      repository: 'outside',
      status: 'runtime',
      owner: 'name',
      createdAt: 'runtime',
      updatedAt: 'runtime',
      ports: { server: 'name', port: 'runtime', service: 'name', memoryMb: 'runtime' },
      openRuns: { runId: 'runtime', job: 'runtime', status: 'runtime' },
    }),

    create_project_intent: tool({
      describe:
        'Create a project: record its name, what it is for and, if known, its repository. update_project changes them.',
      hints: [
        'create a project',
        'create a new project called shop',
        'start a project named blog',
        'new project shop',
        'i want to make a new project',
        'set up a project for our online shop',
        'add project',
        'make a project shop for selling shoes',
      ],
      input: z.object({
        name: NewEntityName.describe('Lowercase letters, digits and single hyphens').meta({
          entity: 'name',
          ask: 'What should the project be called?',
        }),
        description: Description.optional().describe('What the project is for, if the person said so').meta({
          entity: 'text',
          ask: 'What is the project for, in one sentence?',
          isAsked: true,
        }),
        repository: Repository.optional()
          .describe('Address of its git repository; ./shop is a folder below REPOSITORIES_DIR')
          .meta({ ask: 'Where is its git repository?' }),
        folder: Folder,
        repositoryLogin: Login,
      }),
      handles: ['repositoryLogin'],
      ...CHANGE_DEFAULTS,
      // The result contains text that the repository's authors wrote.
      egress: true,
      deadlineMs: 15_000,
      run: async (
        { name, description, repository: given, folder, repositoryLogin },
        { ports, work, actor, actionId },
      ) => {
        const owner = actor.userKey;
        const repository = findPlace(name, { repository: given, folder, before: null }) ?? null;
        requireRepository(name, repository, repositoryLogin);
        const login = repositoryLogin === undefined ? null : { handle: repositoryLogin, givenBy: owner };
        const wanted = { name, description: description ?? '', repository, repositoryLogin: login, owner };
        const project = await ports.projects.create(wanted, actionId);
        return {
          ...shownOf(project),
          ...lookOf(name, project.repository === null ? null : await loadPictures(work, name)),
        };
      },
      probe: async ({ name }, { ports, wrote }) =>
        (await wrote())
          ? { kind: 'done', output: { ...shownOf(await ports.projects.get(name)), ...lookOf(name, null) } }
          : NOT_DONE,
      phrases: {
        order: ({ name, description, repository, folder }) => {
          const place =
            repository === undefined
              ? 'none'
              : sayRepository(buildFolderAddress(repository, folder ?? null)).repository;
          const told = { isDescribed: description !== undefined, description: description ?? '' };
          return say('projects.createOrder', { name, ...told, repository: place });
        },
        done: ({ name, description, repository, look }) => {
          // A project without a description shows its repository once.
          const isDescribed = description !== '' && !repository?.startsWith(description);
          const created = say('projects.created', { name, isDescribed, description, ...sayRepository(repository) });
          return [created, ...describeRepository(look)].join(' ');
        },
        next: ({ name, look }) => createVersionButtons(name, look, 'staging', 1),
      },
    }).from({ ...PROJECT_ORIGINS, ...LOOK_ORIGINS }),

    update_project: tool({
      describe:
        'Change the description, the repository or the status of a project, or how it is started and checked. Status: intended, active or archived.',
      hints: [
        'update the project shop',
        'change the description of shop',
        'set the repository of blog',
        'archive the project blog',
        'mark shop as active',
        'shop repo is https://example.com/team/shop.git',
        'use secret:shop-token for the repository of shop',
        'the start command of shop is make run',
        'the health path of shop is /up',
        'set the code of shop to https://example.com/team/shop.git',
      ],
      input: z.object({
        project: ProjectName,
        description: Description.optional()
          .describe('New description')
          .meta({ ask: 'What should the new description be?' }),
        repository: Repository.optional()
          .describe('New address of its git repository')
          .meta({ ask: 'What is the address of the repository?' }),
        folder: Folder,
        repositoryLogin: Login,
        ...RUN_FIELDS,
        status: Status.optional()
          .describe('New status')
          .meta({ ask: 'Which status should it have: intended, active or archived?' }),
      }),
      handles: ['repositoryLogin'],
      // The next deployment uses this repository, so changing it needs the same permission as a deployment.
      resolve: async ({ project: name, repository, folder, ...given }, { ports }) => {
        const changesRun = Object.keys(toRunChange(given)).length > 0;
        if (repository === undefined && folder === undefined && !changesRun) return null;
        const before = (await ports.projects.find(name))?.repository ?? null;
        const isSame = !changesRun && before === findPlace(name, { repository, folder, before });
        const services = isSame ? [] : await ports.services.list({ project: name });
        return { repository: before, runsIn: services.map(({ environment }) => environment) };
      },
      risk: (_input, resolved) =>
        RunsIn.parse(resolved ?? {}).runsIn.includes('production')
          ? { risk: 'dangerous', reasons: [say('projects.deployedFromThere')] }
          : 'sensitive',
      role: 'developer',
      egress: true,
      deadlineMs: 15_000,
      replay: 'harmless',
      run: async (given, { ports, work, actor, actionId }) => {
        const { project: name, description, folder, repositoryLogin, status } = given;
        const run = toRunChange(given);
        const changesRun = Object.keys(run).length > 0;
        const { repository: before } = await ports.projects.get(name);
        const repository = findPlace(name, { repository: given.repository, folder, before });
        requireRepository(name, repository ?? before, repositoryLogin);
        const change = {
          ...(description ? { description } : {}),
          ...(repository ? { repository } : {}),
          ...(repositoryLogin ? { repositoryLogin: { handle: repositoryLogin, givenBy: actor.userKey } } : {}),
          ...(status ? { status } : {}),
          ...(changesRun ? { run } : {}),
        };
        if (Object.keys(change).length === 0) throw new AppError('NOTHING_TO_CHANGE', { name });
        const project = await ports.projects.update(name, change, actionId);
        const isRead = project.repository !== null && (changesRun || Boolean(repository ?? repositoryLogin));
        const look = isRead ? await loadPictures(work, name) : null;
        return { ...shownOf(project), version: project.version, ...lookOf(name, look) };
      },
      probe: async ({ project: name }, { ports, wrote }) => {
        if (!(await wrote())) return NOT_DONE;
        const project = await ports.projects.get(name);
        return { kind: 'done', output: { ...shownOf(project), version: project.version, ...lookOf(name, null) } };
      },
      phrases: {
        done: (project, { description, repository, folder, repositoryLogin, status, ...given }) => {
          const changed = [
            ...sayRun(given),
            ...(status ? [say('projects.status', { status: sayStatus(project.status) })] : []),
            ...(description ? [say('projects.description', { description: project.description })] : []),
            ...(repository || folder ? [say('projects.repository', sayRepository(project.repository))] : []),
            ...(repositoryLogin ? [say('repository.login', { handle: `\`${repositoryLogin}\`` })] : []),
          ];
          const lines = changed.map((line) => `- ${line}`).join('\n');
          return [say('projects.updated', { name: project.name }), lines, ...describeRepository(project.look)].join(
            '\n\n',
          );
        },
        next: ({ name, look }) => createVersionButtons(name, look, 'staging', 1),
      },
    }).from({ ...PROJECT_ORIGINS, version: 'runtime', ...LOOK_ORIGINS }),

    register_demo_project: tool({
      describe: 'Register the demo project, an example to try things out with.',
      hints: [
        'register the demo project',
        'set up the demo',
        'i want to try it out',
        'add the demo project',
        'register the demo',
        'demo project please',
        'set up the demo project',
      ],
      input: z.object({}),
      ...CHANGE_DEFAULTS,
      resources: () => [`project:${DEMO.name}`],
      deadlineMs: 5_000,
      run: async (_input, { ports, actor, actionId }) => {
        const repository = await ports.demo.repository();
        if (repository === null) throw new AppError('DEMO_MISSING', {});
        const known = await ports.projects.find(DEMO.name);
        if (known === null) {
          const { name } = await ports.projects.create({ ...DEMO, repository, owner: actor.userKey }, actionId);
          return { name, repository, isNew: true };
        }
        if (known.repository !== null && !known.repository.startsWith('file:'))
          throw new AppError('DEMO_NAME_TAKEN', { name: DEMO.name, repository: known.repository });
        // The data folder may have moved since the demo project was created.
        if (known.repository !== repository) await ports.projects.update(DEMO.name, { repository }, actionId);
        return { name: DEMO.name, repository, isNew: false };
      },
      probe: async (_input, { ports, wrote }) => {
        if (!(await wrote())) return NOT_DONE;
        const { name, repository, version } = await ports.projects.get(DEMO.name);
        return { kind: 'done', output: { name, repository: repository ?? '', isNew: version === 1 } };
      },
      phrases: {
        order: () => say('projects.demoOrder'),
        done: ({ name, isNew }) => say('projects.demo', { name, isNew }),
      },
    }).from({ name: 'name', repository: 'runtime', isNew: 'runtime' }),
  },
});

const DEMO = { name: 'demo', description: 'A small web shop to try deployments with.' } as const;

const NOT_DONE = { kind: 'not-done' } as const;

/** A project that was made without a word on what it is for has no description. */
function nameProject(name: string, status: Parameters<typeof sayStatus>[0], description: string): string {
  return `**${name}** (${sayStatus(status)})${description === '' ? '' : `: ${description}`}`;
}

type Project = Awaited<ReturnType<ToolContext['ports']['projects']['get']>>;

function lookOf(project: string, look: RepositorySummary | null) {
  return { newest: look && { project, version: listVersions(look)[0] ?? null }, look };
}

function shownOf({ name, description, repository, status }: Project) {
  return { name, description, repository, status };
}

async function loadPictures(work: ToolContext['work'], project: string): Promise<RepositorySummary> {
  const worked = await work('repository.look', { project });
  return worked.kind === 'goes-on' ? SUMMARY_PENDING : worked.result;
}

function sayStatus(status: z.output<typeof Status>): string {
  return say('projects.statusName', { status });
}
