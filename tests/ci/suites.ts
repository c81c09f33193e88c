/** One run of `npm test`, as the build makes it. `projects` are those of vitest.config.ts that it runs, alone or together. */
export interface CiSuite {
  readonly title: string;
  readonly projects: readonly string[];
  /** Words after `npm test --`; none: what the README's test command runs. */
  readonly words: readonly string[];
}

const only = (project: string): Pick<CiSuite, 'projects' | 'words'> => ({
  projects: [project],
  words: ['--project', project],
});

/** The suites in the order of the build. A project that is in none of them fails the architecture test. */
export const CI_SUITES: readonly CiSuite[] = [
  { title: 'tests', projects: ['unit', 'integration', 'e2e', 'browser'], words: [] },
  // At once: the end of one leaves cores free for the next.
  {
    title: 'outside and faults',
    projects: ['telegram', 'ingress', 'web', 'agents', 'providers', 'local', 'languages', 'faults', 'mind'],
    words: ['--project', 'together-outside', '--project', 'faults', '--project', 'mind'],
  },
  { title: 'attacks', ...only('attack') },
  { title: 'containers', ...only('containers') },
  { title: 'endurance', ...only('endurance') },
];
