import type { VNode } from 'preact';
import { usePage, usePlace } from '../state/context.ts';
import type { Page } from '../state/page.ts';
import type { Place } from '../state/place.ts';

/** What stands in a chat before its first message: who you are here, and something to begin with. */
export function Welcome(): VNode {
  const [page, place] = [usePage(), usePlace()];
  const { title, hint, tries } = describe(page, place);
  const about = place.chat.type === 'private' ? page.store.bot?.description : '';
  return (
    <div class="empty">
      <h2>{title}</h2>
      {about && <p class="about-bot">{about}</p>}
      <p>{hint}</p>
      <div class="tries">
        {tries.map((text) => (
          <button type="button" class="try" onClick={() => void page.writing.submit(text)}>
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}

function describe({ store }: Page, { person, chat }: Place): { title: string; hint: string; tries: string[] } {
  if (chat.type === 'group') {
    return {
      title: 'A group with the bot in it',
      hint: 'As in Telegram, here the bot reads only commands, replies to it and messages that mention it. Try:',
      tries: [`@${store.bot?.username} what is running?`, '/status'],
    };
  }
  if (person.role === 'stranger') {
    return {
      title: `${person.name} is a stranger`,
      hint: 'This person has not been let in yet. Say hello and see what a stranger gets:',
      tries: ['Hello!'],
    };
  }
  return {
    title: `You speak as ${person.name}, ${person.role}`,
    hint: 'Say hello, or try:',
    tries: ['Hello!', 'create a project called shop', '/help'],
  };
}
