import { ApiProperty } from '@nestjs/swagger';
import { AccountResponse, toAccountResponse } from '../../accounts/http/account.response';
import type { SignedIn } from '../sign-in.service';

export class SignInResponse {
  @ApiProperty({
    description:
      'The token of the session, sent as `authorization: Bearer`; valid for 30 days, until it is revoked or the password changes',
  })
  accessToken!: string;

  @ApiProperty({ description: 'The account' })
  user!: AccountResponse;
}

export function toSignInResponse({ session, profile }: SignedIn): SignInResponse {
  return { accessToken: session.token, user: toAccountResponse(profile) };
}
