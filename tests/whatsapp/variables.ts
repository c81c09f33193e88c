import { BOT_DEFAULTS, type Simulator } from '@signalbox/whatsapp-simulator/server';

export const TEMPLATE = 'news_waiting/en_US';

/** What the simulator of WhatsApp takes for the variables of a gateway. */
export function whatsAppVariables(simulator: Pick<Simulator, 'graphUrl'>): Readonly<Record<string, string>> {
  return {
    WHATSAPP_ACCESS_TOKEN: BOT_DEFAULTS.token,
    WHATSAPP_PHONE_NUMBER_ID: BOT_DEFAULTS.phoneNumberId,
    WHATSAPP_APP_SECRET: BOT_DEFAULTS.appSecret,
    WHATSAPP_VERIFY_TOKEN: BOT_DEFAULTS.verifyToken,
    WHATSAPP_API_ROOT: simulator.graphUrl,
    WHATSAPP_TEMPLATE: TEMPLATE,
  };
}
