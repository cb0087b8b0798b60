import { Controller, Delete, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../../../auth/account-scope';
import { ApiSuccess, ApiEndpoint, ApiErrors } from '../../../common/http/openapi-decorators';
import { PathId } from '../../../common/http/requests/path-id.decorator';
import { DeviceNotFound } from '../../../devices/store/devices.errors';
import { DevicesService } from '../../../devices/devices.service';
import { DeleteDeviceRequest } from './delete-device.request';
import { DeviceHasUnsettledMessages } from '../message-deletion.errors';
import { MessageDeletionService } from '../message-deletion.service';

@ApiTags('Phones')
@Controller('gateway/devices')
export class DeviceDeletionController {
  constructor(
    private readonly deletion: MessageDeletionService,
    private readonly devices: DevicesService,
  ) {}

  @Delete(':id')
  @ApiEndpoint(
    'deleteDevice',
    'Delete a device',
    'The messages it sent and received still count. With deleteMessages, their texts and numbers are removed. A deleted phone that registers again gets a new id.',
  )
  @ApiSuccess('The device is deleted')
  @ApiErrors(DeviceNotFound, DeviceHasUnsettledMessages)
  async delete(
    @CurrentAccount() account: AccountScope,
    @PathId('Device id') id: Types.ObjectId,
    @Query() { deleteMessages }: DeleteDeviceRequest,
  ): Promise<void> {
    if (deleteMessages === 'true') await this.deletion.deleteDevice(account, id);
    else await this.devices.remove(account, id);
  }
}
