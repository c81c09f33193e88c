import type { TelegramApi } from './client.ts';

/** Calls `onBot` with every answer to getMe, which every listener calls first. */
export function watchIdentity(api: TelegramApi, onBot: (bot: { readonly username: string }) => void): void {
  api.config.use(async (call, method, payload, signal) => {
    const answer = await call(method, payload, signal);
    // getMe answers with the bot.
    if (method === 'getMe' && answer.ok) onBot(answer.result as { readonly username: string });
    return answer;
  });
}
