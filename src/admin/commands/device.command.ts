import { Command, SubCommand } from 'nest-commander';
import { AccountAdministrationService } from '../../auth/accounts/account-administration.service';
import type { Device } from '../../devices/device.schema';
import { DevicesService } from '../../devices/devices.service';
import { Installation } from '../installation';
import { CommandGroup, OperatorCommand } from '../operator-command';

@SubCommand({
  name: 'list',
  arguments: '[email]',
  description: 'List the phones: id, name, enabled or disabled, last heartbeat',
})
export class DeviceListCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run([text]: string[]): Promise<void> {
    const email = this.readOptionalEmail(text);
    const accounts = await this.installation.get(AccountAdministrationService);
    const devices = await this.installation.get(DevicesService);
    for (const { device, isDefault } of await devices.list(await accounts.find(email))) {
      const cells = [
        device._id.toHexString(),
        labelOf(device),
        device.enabled ? 'enabled' : 'disabled',
        device.lastHeartbeat?.toISOString() ?? 'no heartbeat',
      ];
      this.printRow([...cells, ...(isDefault ? ['default'] : [])]);
    }
  }
}

abstract class DeviceSwitchCommand extends OperatorCommand {
  protected abstract readonly installation: Installation;

  /** @returns what the phone is called. */
  protected async switch(idText: string, emailText: string | undefined, enabled: boolean): Promise<string> {
    const id = this.readDeviceId(idText);
    const email = this.readOptionalEmail(emailText);
    const accounts = await this.installation.get(AccountAdministrationService);
    const devices = await this.installation.get(DevicesService);
    const { device } = await devices.update(await accounts.find(email), id, { enabled });
    return labelOf(device);
  }
}

@SubCommand({
  name: 'disable',
  arguments: '<id> [email]',
  description: 'Stop sending through a phone and refuse its uploads',
})
export class DeviceDisableCommand extends DeviceSwitchCommand {
  constructor(protected readonly installation: Installation) {
    super();
  }

  async run([id = '', email]: string[]): Promise<void> {
    const label = await this.switch(id, email, false);
    this.print(`${label} is disabled: no messages are sent through it`);
  }
}

@SubCommand({
  name: 'enable',
  arguments: '<id> [email]',
  description: 'Send through a disabled phone again and accept its uploads',
})
export class DeviceEnableCommand extends DeviceSwitchCommand {
  constructor(protected readonly installation: Installation) {
    super();
  }

  async run([id = '', email]: string[]): Promise<void> {
    this.print(`${await this.switch(id, email, true)} is enabled`);
  }
}

@Command({
  name: 'device',
  description: 'Phones',
  subCommands: [DeviceListCommand, DeviceDisableCommand, DeviceEnableCommand],
})
export class DeviceCommand extends CommandGroup {}

function labelOf({ name, brand, model }: Device): string {
  return name ?? `${brand} ${model}`;
}
