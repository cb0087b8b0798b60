import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { readSmsdConfig } from '../modem/smsd-config';
import { folderFrom, PhoneFolder, type StoredPhone } from './phone-folder';

export const INSTALL_USAGE = `messaging-gateway-phone install [--dir DIR] [--user USER] [--write]

Prints a systemd unit that runs the phone; with --write it is written to /etc/systemd/system.

  --user USER             runs it as this user, who must own the folder (default: root)
`;

const UNIT_FILE = '/etc/systemd/system/messaging-gateway-phone.service';

/** @param script the path of the program. */
export function install(args: readonly string[], environment: NodeJS.ProcessEnv, script: string): void {
  const { values } = parseArgs({
    args: [...args],
    options: {
      dir: { type: 'string' },
      user: { type: 'string', default: 'root' },
      write: { type: 'boolean', default: false },
    },
  });
  const folder = new PhoneFolder(folderFrom(values.dir, environment));
  const unit = unitOf(folder.require(), {
    folder: folder.path,
    user: values.user,
    node: process.execPath,
    script,
  });
  if (!values.write) {
    console.log(unit);
    return;
  }
  writeFileSync(UNIT_FILE, unit);
  console.log(
    `Written: ${UNIT_FILE}\nNext: systemctl daemon-reload && systemctl enable --now messaging-gateway-phone`,
  );
}

export interface UnitOptions {
  readonly folder: string;
  readonly user: string;
  readonly node: string;
  readonly script: string;
}

/** The unit may write to its folder, and to the database of gammu-smsd, only. */
export function unitOf({ name, radio }: StoredPhone, { folder, user, node, script }: UnitOptions): string {
  const command = [node, script, 'run', '--dir', folder].map(quoted).join(' ');
  const writable = [
    folder,
    ...(radio.kind === 'modem' ? [dirname(readSmsdConfig(radio.smsdrc).database)] : []),
  ];
  const after = ['network-online.target', ...(radio.kind === 'modem' ? ['gammu-smsd.service'] : [])];
  return `[Unit]
Description=${specifierFree(`messaging-gateway-phone: ${name}`)}
Wants=network-online.target
After=${after.join(' ')}

[Service]
ExecStart=${command}
User=${user}
Restart=always
RestartSec=5
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=read-only
PrivateTmp=yes
ReadWritePaths=${writable.map(quoted).join(' ')}

[Install]
WantedBy=multi-user.target
`;
}

function quoted(path: string): string {
  const text = specifierFree(path).replace(/["\\]/g, '\\$&').replaceAll('$', '$$$$');
  return /[\s"'\\;]/.test(path) ? `"${text}"` : text;
}

function specifierFree(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('%', '%%');
}
