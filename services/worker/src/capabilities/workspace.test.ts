import { describe, expect, it } from 'vitest';
import workspace from './workspace.ts';

describe('the report of a command that filled the disk', () => {
  const say = (killed: string | null, output = ''): string | undefined =>
    workspace.tools['run_command']?.done(
      { state: 'done', exitCode: 137, killed, output, cut: false, durationMs: 5 },
      { command: 'make all' },
    );

  it.each([
    ['workspace', '`make all` made the workspace too large and was stopped'],
    ['disk', '`make all` was stopped, because the disk of the workspaces is nearly full'],
  ])('says that the %s is full and what to delete', (killed, sentence) => {
    const advice = 'What it wrote to files is still there. Delete what is no longer needed.';
    expect(say(killed)).toBe(`${sentence}. It printed nothing.\n\n${advice}`);
    expect(say(killed, 'linking')).toBe(`${sentence}:\n\n\`\`\`\nlinking\n\`\`\`\n\n${advice}`);
  });

  it('is not used for commands that failed for another reason', () => {
    expect(say('deadline')).toBe('`make all` took too long and was stopped and wrote nothing.');
    expect(say(null)).toBe('`make all` finished (exit 137) and wrote nothing.');
  });
});
