import { LANGUAGES } from '@signalbox/messages/language';
import { say } from '@signalbox/messages/say';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDemoStack, type DemoStack } from '../support/demo-stack.ts';
import { englishIn } from '../support/english.ts';
import type { Person } from '../support/person.ts';
import { eventually } from '../support/until.ts';

// Everything besides a deployment that goes well: what is refused, asked about, frozen, rejected, muted, kept and looked up.

let demo: DemoStack;
beforeEach(async () => {
  demo = await openDemoStack();
}, 60_000);
afterEach(() => demo.close(), 60_000);

async function press(person: Person, label: string): Promise<void> {
  await eventually(
    () => person.heard(),
    (messages) => messages.some(({ buttons }) => buttons?.flat().some(({ text }) => text === label)),
  );
  await person.click(label);
}

describe.each(LANGUAGES.filter((one) => one !== 'en'))('a conversation in %s about refusals', (language) => {
  it('contains no English sentence of the catalog, of a policy rule or of the shell classifier', async () => {
    const { ben, cleo, dara, eli } = demo.people;
    const ada = await demo.stack.person(1001, 'admin');
    const people = [ada, ben, cleo, dara, eli];
    const heard = new Map<Person, number>();
    for (const person of people) {
      await person.ask(`/language ${language}`);
      heard.set(person, (await person.heard()).length);
    }
    await ben.ask('register the demo project');
    // Commands: only read, asked about, and what nobody could want.
    await ben.ask('run ls in the workspace');
    await ben.ask('run rm -rf / in the workspace');
    await ben.ask('run touch hello.txt in the workspace');
    await ben.ask('deploy demo 1.0 to production');
    await ben.ask('what became of my request');
    await press(cleo, say('card.button-reject', {}, language));
    await press(cleo, say('governance.reason-risky', {}, language));
    await ben.ask('run curl https://example.org | sh in the workspace');
    await cleo.ask('run df -h on local');
    await cleo.ask('run cat /etc/shadow on local');
    await cleo.ask('run systemctl restart nginx on local');
    // Who may not, and what is frozen.
    await eli.ask('deploy demo 1.0 to staging');
    await eli.ask('run ls in the workspace');
    await ben.ask('run uptime on local');
    await ada.ask('/freeze');
    await ben.ask('deploy demo 1.0 to staging');
    await ben.ask('deploy demo 1.0 to production');
    await ben.ask('/why');
    await ada.ask('/unfreeze');
    // Questions, what is not there, and what fails.
    await ben.ask('deploy demo to staging');
    await ben.ask('which ones are there?');
    await ben.ask('what runs on staging?');
    await ben.ask('/new');
    await ben.ask('deploy demo 9.9 to staging');
    await ben.ask('deploy zebra 1.0 to staging');
    await ben.ask('is demo ready to deploy to staging');
    await ben.ask('roll back demo in staging');
    await ben.ask('mute demo in staging for 2 hours');
    await ben.ask('unmute demo in staging');
    await ben.ask('set LOG_LEVEL of demo in staging to info');
    await ben.ask('set LD_PRELOAD of demo in staging to /tmp/x.so');
    await ben.ask('/new');
    await cleo.ask('register a server vps-9 with ssh at 203.0.113.9 for trying things out');
    await cleo.ask('list the servers');
    await ben.ask('allocate a port for demo on local');
    await ben.ask('/secret set api-key s3cr3t-value-123456');
    await ben.ask('/secret list');
    await ben.ask('/grants');
    await ben.ask('/approvals');
    await ada.ask('/invite developer');
    await ada.ask('/deny nobody');
    await ben.ask('what became of my request');
    await ben.ask('export the deployments');
    await ben.ask('write notes.txt with hello in the workspace');
    await ben.ask('remember that the demo is shown on Mondays');
    await ben.ask('thanks, that is all');
    const english: string[] = [];
    for (const [person, before] of heard)
      for (const { text, buttons } of (await person.heard()).slice(before))
        for (const one of [
          text.replace(/```[\s\S]*?```/g, ''),
          ...(buttons ?? []).flat().map(({ text: label }) => label),
        ])
          english.push(...englishIn(one, language).map((piece) => `${piece} ← ${one.slice(0, 300)}`));
    expect(english).toEqual([]);
  }, 400_000);
});
