import { ApiPropertyOptional } from '@nestjs/swagger';
import { AccountResponse } from '../../accounts/http/account.response';

export class UpdatedAccountResponse extends AccountResponse {
  @ApiPropertyOptional({
    format: 'email',
    description: 'The new address, which takes effect when it is confirmed',
    example: 'new@example.com',
  })
  pendingEmail?: string;
}
