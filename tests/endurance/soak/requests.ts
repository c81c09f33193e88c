/** What people ask for, whose right answer is known. */
export type Kind = 'create' | 'port' | 'show' | 'file' | 'deploy' | 'broken' | 'rollback';

/** The right answer to a message, in whatever else is said. */
export const ANSWERS: Readonly<Record<Kind, (name: string) => RegExp>> = {
  create: (name) => new RegExp(`I created the project ${name}:`),
  port: (name) => new RegExp(`Port \\d+ on \\S+ now belongs to ${name} \\(`),
  show: (name) => new RegExp(`(?:^|\\n)${name} \\(`),
  // A write that was interrupted and is made again finds its own file.
  file: (name) => new RegExp(`I (?:created|replaced) ${name}\\.md \\(`),
  deploy: (name) => new RegExp(`✅ Deployed ${releaseIn(name)} serves at `),
  broken: (name) => new RegExp(`❌ ${releaseIn(name)} failed while `),
  rollback: (name) => new RegExp(`✅ Rolled back ${releaseIn(name)} serves at `),
};

/** What a person writes for it. */
export const TEXTS: Readonly<Record<Kind, (name: string) => string>> = {
  create: (name) => `create a project called ${name} for selling tea`,
  port: (name) => `allocate a port for ${name}`,
  show: (name) => `show project ${name}`,
  file: (name) => `create a file ${name}.md with "${textOf(name)}"`,
  deploy: (name) => `deploy ${name} to staging`,
  broken: (name) => `deploy ${name} to staging`,
  rollback: (name) => `roll back ${projectOf(name)} in staging`,
};

/** What the file of this name holds. */
export function textOf(name: string): string {
  return `tea of ${name}`;
}

/** The project of a request that is about a release, such as `t50001x1 1.0`. */
export function projectOf(name: string): string {
  return name.split(' ')[0] ?? name;
}

/** The releases of the demo: 1.0 serves, 1.1 serves slowly, 1.2 is not healthy. What is rolled back to is what served before. */
export function deploymentsOf(project: string): readonly { readonly kind: Kind; readonly name: string }[] {
  return [
    { kind: 'deploy', name: `${project} 1.0` },
    { kind: 'broken', name: `${project} 1.2` },
    { kind: 'deploy', name: `${project} 1.1` },
    { kind: 'rollback', name: `${project} 1.0` },
  ];
}

function releaseIn(name: string): string {
  const [project, version] = name.split(' ');
  return `${project} in staging: ${version}-\\w+`;
}
