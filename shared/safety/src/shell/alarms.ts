import type { Risk } from '@signalbox/contracts/governance/action';
import { getBaseName, findRefusal, listScripts } from './refusals.ts';
import { readStructure } from './structure.ts';

/** The risk of a command that needs a person. */
export interface Alarm {
  /** The reason why the command can only do harm; null when a person could want the command. */
  readonly deny: string | null;
  readonly risk: Risk;
  readonly programs: readonly string[];
}

/** Programs with irreversible effects, or that run arbitrary programs. */
const DANGEROUS = new Set(
  (
    'rm rmdir shred unlink dd mkfs mke2fs blkdiscard wipefs fdisk parted mkswap swapoff mount umount losetup truncate mv chmod chown chgrp ' +
    'chattr setfacl kill killall pkill shutdown reboot halt poweroff init telinit systemctl service sysctl modprobe insmod ' +
    'rmmod iptables nft ufw useradd userdel usermod groupdel passwd chpasswd visudo crontab at sudo doas su runuser chroot ' +
    'nsenter unshare docker podman kubectl helm terraform ansible ssh scp rsync nc ncat socat eval exec source . bash sh ' +
    'zsh dash ksh fish busybox toybox xargs parallel python python3 perl ruby node php lua tclsh awk gawk mawk nohup ' +
    'setsid script strace gdb psql mysql mongosh redis-cli sqlite3 vault aws gcloud az'
  ).split(' '),
);

const CONTAINERS = /^(ps|images|logs|inspect|stats|top|version|info|port|history)( |$)/;
const SCRIPT_THAT_PRINTS = /^(?!.*(system|getline|\||>)).*$/;
/** Arguments with which these programs only read. */
const READ_ONLY_FORMS: Readonly<Record<string, RegExp>> = {
  docker: CONTAINERS,
  podman: CONTAINERS,
  kubectl: /^(get|describe|logs|top|version|explain|events|api-resources|cluster-info|rollout (status|history))( |$)/,
  systemctl: /^(status|show|cat|is-active|is-enabled|is-failed|list-[a-z-]+)( |$)/,
  'redis-cli': /^(info|ping|dbsize|xlen|xinfo|llen|scard|zcard|type|ttl|get|lrange|slowlog get)( |$)/i,
  mount: /^(-l)?$/,
  awk: SCRIPT_THAT_PRINTS,
  gawk: SCRIPT_THAT_PRINTS,
  mawk: SCRIPT_THAT_PRINTS,
};

/** The maximum depth and number of nested scripts that are examined. */
const MAX_SCRIPTS = 3;

/**
 * Checks a command again after the allow-list: denies a few commands and marks dangerous commands on the card. The allow-list does not
 * depend on this check, which may miss some.
 */
export function findAlarm(command: string, depth = 0): Alarm {
  const structure = readStructure(command);
  const { vectors, hidden } = structure;
  const scripts = depth < MAX_SCRIPTS ? vectors.flatMap(listScripts).slice(0, MAX_SCRIPTS) : [];
  const inner = scripts.map((script) => findAlarm(script, depth + 1));
  const deny = findRefusal(structure) ?? inner.find((alarm) => alarm.deny !== null)?.deny ?? null;
  return {
    deny,
    risk: deny !== null || hidden || inner.length > 0 || vectors.some(isDangerous) ? 'dangerous' : 'sensitive',
    programs: [...new Set(vectors.map(([name = '']) => name))],
  };
}

function isDangerous([name = '', ...args]: readonly string[]): boolean {
  // mkfs.ext4 counts as mkfs, python3.12 as python3.
  const program = getBaseName(name).replace(/(?<=.)\..*$/, '');
  if (program === 'find') return args.some((arg) => /^-(delete|exec|execdir|ok|okdir|fprint0?|fprintf|fls)$/.test(arg));
  return (
    DANGEROUS.has(program) &&
    !(Object.hasOwn(READ_ONLY_FORMS, program) && READ_ONLY_FORMS[program]?.test(args.join(' ')))
  );
}
