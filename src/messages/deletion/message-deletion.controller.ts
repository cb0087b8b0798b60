import { Controller, Delete, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../auth/account-scope';
import { ApiSuccess, ApiEndpoint, ApiErrors } from '../../common/http/openapi-decorators';
import { PathId } from '../../common/http/requests/path-id.decorator';
import { DeviceNotFound } from '../../devices/devices.errors';
import { DevicesService } from '../../devices/devices.service';
import { DeleteDeviceRequest } from '../dto/delete-device.request';
import { MessageNotFound } from '../messages.errors';
import { DeviceHasUnsettledMessages, MessageUnsettled } from './message-deletion.errors';
import { MessageDeletionService } from './message-deletion.service';

@ApiTags('Devices')
@Controller('gateway')
export class MessageDeletionController {
  constructor(
    private readonly deletion: MessageDeletionService,
    private readonly devices: DevicesService,
  ) {}

  @Delete('messages/:id')
  @ApiEndpoint(
    'deleteMessage',
    'Delete a message',
    'Removes its text and number at once and hides it from every list; its events that are not delivered yet are dropped. Totals and plan usage do not change. Idempotent.',
  )
  @ApiSuccess('The message is deleted')
  @ApiErrors(MessageNotFound, MessageUnsettled)
  async deleteMessage(
    @CurrentAccount() account: AccountScope,
    @PathId('Message id') id: Types.ObjectId,
  ): Promise<void> {
    await this.deletion.delete(account, id);
  }

  @Delete('devices/:id')
  @ApiEndpoint(
    'deleteDevice',
    'Delete a device',
    'The messages it sent and received still count. With deleteMessages, their texts and numbers are removed. A deleted phone that registers again gets a new id.',
  )
  @ApiSuccess('The device is deleted')
  @ApiErrors(DeviceNotFound, DeviceHasUnsettledMessages)
  async deleteDevice(
    @CurrentAccount() account: AccountScope,
    @PathId('Device id') id: Types.ObjectId,
    @Query() { deleteMessages }: DeleteDeviceRequest,
  ): Promise<void> {
    if (deleteMessages === 'true') await this.deletion.deleteDevice(account, id);
    else await this.devices.remove(account, id);
  }
}
