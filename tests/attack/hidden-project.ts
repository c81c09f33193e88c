import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** A folder with one more rule, as an installation may have it: nobody reads or changes anything of this project. */
export function hideProject(project: string): string {
  const folder = makeTemporaryFolder('hidden');
  writeFileSync(
    join(folder, 'hidden.cedar'),
    `@id("hidden")\n@reason("This project is closed.")\nforbid (principal is User, action, resource is Call)\nwhen { resource.resources.contains("project:${project}") || (resource.hasTag("project") && resource.getTag("project") == "${project}") };\n`,
  );
  mkdirSync(join(folder, 'examples'));
  const decide = { role: 'admin', risk: 'safe', resources: [`project:${project}`] };
  const examples = [{ says: 'an admin does not look at it', decide, expect: { effect: 'deny', rule: 'hidden' } }];
  writeFileSync(join(folder, 'examples/hidden.json'), JSON.stringify(examples));
  return folder;
}
