import { say, type MessageKey } from '../say.ts';
import type { Rule, Rules } from './rule.ts';

const rule = (found: MessageKey, why: MessageKey): Rule => ({
  say: (values) => say(found, values),
  why: () => say(why),
});

/** By analyzer and rule: `secrets/private-key`. */
export const SECRETS_RULES = {
  'secrets/private-key': rule('rules-secrets.privateKey', 'rules-secrets.privateKeyWhy'),
  'secrets/credential': rule('rules-secrets.credential', 'rules-secrets.credentialWhy'),
  'secrets/url-password': rule('rules-secrets.urlPassword', 'rules-secrets.urlPasswordWhy'),
  'secrets/hardcoded': rule('rules-secrets.hardcoded', 'rules-secrets.hardcodedWhy'),
  'secrets/env-value': rule('rules-secrets.envValue', 'rules-secrets.envValueWhy'),
  'secrets/in-history': rule('rules-secrets.inHistory', 'rules-secrets.inHistoryWhy'),
  'risk/remote-script': rule('rules-secrets.remoteScript', 'rules-secrets.remoteScriptWhy'),
  'risk/world-writable': rule('rules-secrets.worldWritable', 'rules-secrets.worldWritableWhy'),
  'risk/tls-off': rule('rules-secrets.tlsOff', 'rules-secrets.tlsOffWhy'),
  'risk/input-executed': rule('rules-secrets.inputExecuted', 'rules-secrets.inputExecutedWhy'),
  'risk/install-script': rule('rules-secrets.installScript', 'rules-secrets.installScriptWhy'),
  'risk/privileged': rule('rules-secrets.privileged', 'rules-secrets.privilegedWhy'),
  'risk/host-socket': rule('rules-secrets.hostSocket', 'rules-secrets.hostSocketWhy'),
  'risk/host-network': rule('rules-secrets.hostNetwork', 'rules-secrets.hostNetworkWhy'),
  'risk/image-unpinned': rule('rules-secrets.imageUnpinned', 'rules-secrets.imageUnpinnedWhy'),
  'risk/container-root': rule('rules-secrets.containerRoot', 'rules-secrets.containerRootWhy'),
  'risk/add-remote': rule('rules-secrets.addRemote', 'rules-secrets.addRemoteWhy'),
  'risk/build-secret': rule('rules-secrets.buildSecret', 'rules-secrets.buildSecretWhy'),
  'risk/script-injection': rule('rules-secrets.scriptInjection', 'rules-secrets.scriptInjectionWhy'),
  'risk/stranger-checkout': rule('rules-secrets.strangerCheckout', 'rules-secrets.strangerCheckoutWhy'),
  'risk/write-all': rule('rules-secrets.writeAll', 'rules-secrets.writeAllWhy'),
  'risk/secret-printed': rule('rules-secrets.secretPrinted', 'rules-secrets.secretPrintedWhy'),
  'risk/action-unpinned': rule('rules-secrets.actionUnpinned', 'rules-secrets.actionUnpinnedWhy'),
  'risk/link-outside': rule('rules-secrets.linkOutside', 'rules-secrets.linkOutsideWhy'),
  'risk/keystore': rule('rules-secrets.keystore', 'rules-secrets.keystoreWhy'),
  'risk/database-file': rule('rules-secrets.databaseFile', 'rules-secrets.databaseFileWhy'),
  'risk/submodule-trick': rule('rules-secrets.submoduleTrick', 'rules-secrets.submoduleTrickWhy'),
  'risk/submodule-http': rule('rules-secrets.submoduleHttp', 'rules-secrets.submoduleHttpWhy'),
  'risk/git-filter': rule('rules-secrets.gitFilter', 'rules-secrets.gitFilterWhy'),
  'risk/login-file': rule('rules-secrets.loginFile', 'rules-secrets.loginFileWhy'),
  'risk/database-dump': rule('rules-secrets.databaseDump', 'rules-secrets.databaseDumpWhy'),
} satisfies Rules;
