import type { VNode } from 'preact';
import { usePage, usePlace } from '../state/context.ts';
import type { Page } from '../state/page.ts';
import type { Place } from '../state/place.ts';

/** Placeholder of an empty chat: who you are, and how to begin. */
export function Welcome(): VNode {
  const [page, place] = [usePage(), usePlace()];
  const [title, hint, tries] = describe(page, place);
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{hint}</p>
      <div class="tries">
        {tries.map((text) => (
          <button class="try" onClick={() => void page.writing.submit(text)}>
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}

/** Returns a heading, a hint and example messages. */
function describe({ store }: Page, { person, chat }: Place): readonly [string, string, readonly string[]] {
  if (chat.type === 'group') {
    const hint = 'As in Telegram, here the bot reads only commands, replies to it and messages that mention it. Try:';
    return ['A group with the bot in it', hint, [`@${store.bot?.username} what is running?`, '/status']];
  }
  if (person.role !== 'stranger') {
    const tries = ['Hello!', 'create a project called shop', '/help'];
    return [`You speak as ${person.name}, ${person.role}`, 'Say hello, or try:', tries];
  }
  const hint = 'This person has not been let in yet. Say hello and see what a stranger gets:';
  return [`${person.name} is a stranger`, hint, ['Hello!']];
}
