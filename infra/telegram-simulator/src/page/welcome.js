import { element } from './element.js';

/** What stands in a chat before its first message: who you are here, and something to begin with. */
export function renderWelcome({ person, chat, topic }, { bot }) {
  const { title, hint, tries } = describe(person, chat, bot);
  return element(
    'div',
    { class: 'empty', data: { key: `empty ${person.id} ${chat.id} ${topic}` } },
    element('h2', {}, title),
    chat.type === 'private' && bot.description !== '' ? element('p', { class: 'about-bot' }, bot.description) : null,
    element('p', {}, hint),
    element(
      'div',
      { class: 'tries' },
      ...tries.map((text) =>
        element('button', { type: 'button', class: 'try', data: { do: 'say', value: text } }, text),
      ),
    ),
  );
}

function describe(person, chat, bot) {
  if (chat.type === 'group') {
    return {
      title: 'A group with the bot in it',
      hint: 'As in Telegram, here the bot reads only commands, replies to it and messages that mention it. Try:',
      tries: [`@${bot.username} what is running?`, '/status'],
    };
  }
  if (person.role === 'stranger') {
    return {
      title: `${person.name} is a stranger`,
      hint: 'Nobody has let this person in yet. Say hello and see what a stranger gets:',
      tries: ['Hello!'],
    };
  }
  return {
    title: `You speak as ${person.name}, ${person.role}`,
    hint: 'Say hello, or try:',
    tries: ['Hello!', 'create a project called shop', '/help'],
  };
}
