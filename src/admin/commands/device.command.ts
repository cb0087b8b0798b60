import { Command } from 'nest-commander';
import type { Device } from '../../devices/store/device.schema';
import { DevicesService } from '../../devices/devices.service';
import { CommandGroup } from '../command-group';

@Command({ name: 'device', description: 'Phones' })
export class DeviceCommand extends CommandGroup {
  protected override addCommands(): void {
    this.add('list [email]', 'List the phones: id, name, enabled or disabled, last heartbeat').action(
      async (address?: string) => {
        const account = await this.findAccount(address);
        for (const { device, isDefault } of await (await this.devices()).list(account)) {
          const { _id, enabled, lastHeartbeat } = device;
          const state = enabled ? 'enabled' : 'disabled';
          const cells = [
            _id.toHexString(),
            labelOf(device),
            state,
            lastHeartbeat?.toISOString() ?? 'no heartbeat',
          ];
          this.printRow([...cells, ...(isDefault ? ['default'] : [])]);
        }
      },
    );

    this.add('disable <id> [email]', 'Stop sending through a phone and refuse its uploads').action(
      async (id: string, address?: string) => {
        const label = await this.switch(id, address, false);
        this.print(`${label} is disabled: no messages are sent through it`);
      },
    );

    this.add('enable <id> [email]', 'Send through a disabled phone again and accept its uploads').action(
      async (id: string, address?: string) => {
        this.print(`${await this.switch(id, address, true)} is enabled`);
      },
    );
  }

  /** @returns what the phone is called. */
  private async switch(text: string, address: string | undefined, enabled: boolean): Promise<string> {
    const id = this.readDeviceId(text);
    const account = await this.findAccount(address);
    const { device } = await (await this.devices()).update(account, id, { enabled });
    return labelOf(device);
  }

  private devices(): Promise<DevicesService> {
    return this.installation.get(DevicesService);
  }
}

function labelOf({ name, brand, model }: Device): string {
  return name ?? `${brand} ${model}`;
}
