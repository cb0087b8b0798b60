import { Command, SubCommand } from 'nest-commander';
import type { Device } from '../../devices/device.schema';
import { DevicesService } from '../../devices/devices.service';
import { CommandGroup, OperatorCommand } from '../operator-command';

@SubCommand({
  name: 'list',
  arguments: '[email]',
  description: 'List the phones: id, name, enabled or disabled, last heartbeat',
})
export class DeviceListCommand extends OperatorCommand {
  async run([text]: string[]): Promise<void> {
    const account = await this.findAccount(this.readOptionalEmail(text));
    const devices = await this.installation.get(DevicesService);
    for (const { device, isDefault } of await devices.list(account)) {
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
  /** @returns what the phone is called. */
  protected async switch(idText: string, emailText: string | undefined, enabled: boolean): Promise<string> {
    const id = this.readDeviceId(idText);
    const account = await this.findAccount(this.readOptionalEmail(emailText));
    const devices = await this.installation.get(DevicesService);
    const { device } = await devices.update(account, id, { enabled });
    return labelOf(device);
  }
}

@SubCommand({
  name: 'disable',
  arguments: '<id> [email]',
  description: 'Stop sending through a phone and refuse its uploads',
})
export class DeviceDisableCommand extends DeviceSwitchCommand {
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
