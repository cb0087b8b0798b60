import { Command } from 'nest-commander';
import { PhoneAddresses } from '../../pairing-codes/addresses/phone-addresses.service';
import { PairingCodesService } from '../../pairing-codes/pairing-codes.service';
import { CommandGroup } from '../command-group';

interface CodeOptions {
  readonly replaces?: string;
}

@Command({ name: 'pairing', description: 'Pairing phones' })
export class PairingCommand extends CommandGroup {
  protected override addCommands(): void {
    this.add(
      'code [email]',
      'Print a code of ten digits that pairs one phone within ten minutes, and the addresses for its app: address, where it works, variant of the app',
    )
      .option('--replaces <id>', 'the phone that the new one replaces')
      .action(async (address: string | undefined, { replaces }: CodeOptions) => {
        const device = replaces === undefined ? undefined : this.readDeviceId(replaces);
        const account = await this.findAccount(address);
        const { code } = await (await this.installation.get(PairingCodesService)).create(account, device);
        // Scripts read the code from the first line.
        this.print(code);
        for (const { url, kind, variant } of (await this.installation.get(PhoneAddresses)).list())
          this.printRow([url, kind, variant]);
      });
  }
}
