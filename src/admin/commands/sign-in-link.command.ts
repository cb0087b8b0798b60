import { Command, Option } from 'nest-commander';
import { signInPath, SignInLinksService } from '../../auth/sessions/sign-in-links.service';
import { OperatorCommand } from '../operator-command';

@Command({
  name: 'sign-in-link',
  description:
    'Print a link that signs in without a password, once and within ten minutes; the first password can be set in its session',
})
export class SignInLinkCommand extends OperatorCommand {
  async run(_: string[], { email }: { readonly email?: string }): Promise<void> {
    const account = await this.findAccount(this.readOptionalEmail(email));
    const links = await this.installation.get(SignInLinksService);
    this.print(signInPath(await links.issue(account)));
  }

  @Option({ flags: '--email <email>', description: 'the account; can be omitted if there is only one' })
  readAddress(text: string): string {
    return text;
  }
}
