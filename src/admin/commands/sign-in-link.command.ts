import { Command, Option } from 'nest-commander';
import { AccountAdministration } from '../../auth/account-administration.service';
import { signInPath, SignInLinksService } from '../../auth/sessions/sign-in-links.service';
import { Installation } from '../installation';
import { OperatorCommand } from '../operator-command';

@Command({
  name: 'sign-in-link',
  description:
    'Print a link that signs its reader in without a password, once and within ten minutes; it can set the first password',
})
export class SignInLinkCommand extends OperatorCommand {
  constructor(private readonly installation: Installation) {
    super();
  }

  async run(_: string[], { email }: { readonly email?: string }): Promise<void> {
    const account = await (
      await this.installation.get(AccountAdministration)
    ).find(this.readOptionalEmail(email));
    const links = await this.installation.get(SignInLinksService);
    this.print(signInPath(await links.issue(account)));
  }

  @Option({ flags: '--email <email>', description: 'whose; otherwise of the only account' })
  readAddress(text: string): string {
    return text;
  }
}
