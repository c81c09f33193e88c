import { createProjects } from '@signalbox/store/deploy/projects';
import { createRelationships } from '@signalbox/store/repository/relationships';
import type { CommandContext, Report } from '../../command.ts';
import { formatCount, formatList } from '../../table.ts';

/** Lists the dependencies and dependents of a project, by packages. */
export async function listRelations(context: CommandContext, project: string): Promise<Report> {
  const pool = context.database();
  await createProjects(pool).get(project);
  const relationships = createRelationships(pool);
  const { limit } = context.arguments;
  const [isKnown, dependsOn, usedBy] = await Promise.all([
    relationships.isKnown(project),
    relationships.dependsOn(project, limit),
    relationships.usedBy(project, limit),
  ]);
  const rows = [
    ...dependsOn.map((one) => ({ ...one, way: 'depends on' })),
    ...usedBy.map((one) => ({ ...one, way: 'is used by' })),
  ].map(({ way, project: other, packages, total }) => {
    const more = total - packages.length;
    return [way, other, packages.join(', ') + (more > 0 ? ` and ${formatCount(more, 'other')}` : '')];
  });
  const none = isKnown
    ? `${project} is related to no other project.`
    : `The packages of ${project} are not known: run 'repo chain dependency_audit ${project}'.`;
  return {
    ok: true,
    data: { project, isKnown, dependsOn, usedBy },
    lines: formatList(['WAY', 'PROJECT', 'BY'], rows, none),
  };
}
