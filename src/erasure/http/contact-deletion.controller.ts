import { Controller, Delete, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../auth/account-scope';
import { ApiEndpoint, ApiErrors, ApiSuccess } from '../../common/http/openapi-decorators';
import { PathId } from '../../common/http/requests/path-id.decorator';
import { ContactNotFound } from '../../contacts/store/contact.errors';
import { ContactsService } from '../../contacts/contacts.service';
import { ContactHasUnsettledMessages } from '../people/person.errors';
import { PersonErasure } from '../people/person-erasure.service';
import { ContactDeletionRequest } from './contact-deletion.request';

@ApiTags('Contacts')
@Controller('gateway/contacts')
export class ContactDeletionController {
  constructor(
    private readonly contacts: ContactsService,
    private readonly erasure: PersonErasure,
  ) {}

  @Delete(':id')
  @ApiEndpoint(
    'deleteContact',
    'Delete a contact',
    'Its messages and blocks stay, unless the person is erased: then its messages are deleted, and its blocks keep only a key of the number. Deliveries of webhooks keep their bodies until they are removed by their age. An erasure that was interrupted is repeated.',
  )
  @ApiSuccess('The contact is deleted')
  @ApiErrors(ContactNotFound, ContactHasUnsettledMessages)
  async remove(
    @CurrentAccount() account: AccountScope,
    @PathId('Contact id') id: Types.ObjectId,
    @Query() { erase }: ContactDeletionRequest,
  ): Promise<void> {
    if (erase === 'true') await this.erasure.erase(account, id);
    else await this.contacts.remove(account, id);
  }
}
