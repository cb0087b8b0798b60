import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import type { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from '../auth/account-scope';
import { ParseIdPipe } from '../common/http/id.pipe';
import { DevicesService } from './devices.service';
import { DeviceRequest } from './dto/device.request';
import { DeviceResponse, toDeviceResponse } from './dto/device.response';

@Controller('gateway/devices')
export class DevicesController {
  constructor(private readonly devices: DevicesService) {}

  @Get()
  async list(@CurrentAccount() account: AccountScope): Promise<DeviceResponse[]> {
    return (await this.devices.list(account)).map(toDeviceResponse);
  }

  @Post()
  async register(
    @CurrentAccount() account: AccountScope,
    @Body() body: DeviceRequest,
  ): Promise<DeviceResponse> {
    return toDeviceResponse(await this.devices.register(account, body));
  }

  @Get(':id')
  async get(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
  ): Promise<DeviceResponse> {
    return toDeviceResponse(await this.devices.get(account, id));
  }

  @Patch(':id')
  async update(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
    @Body() body: DeviceRequest,
  ): Promise<DeviceResponse> {
    return toDeviceResponse(await this.devices.update(account, id, body));
  }

  @Post(':id/set-default')
  @HttpCode(200)
  async setDefault(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
  ): Promise<DeviceResponse> {
    return toDeviceResponse(await this.devices.setDefault(account, id));
  }

  @Delete(':id')
  async remove(
    @CurrentAccount() account: AccountScope,
    @Param('id', ParseIdPipe) id: Types.ObjectId,
  ): Promise<{ success: true }> {
    await this.devices.remove(account, id);
    return { success: true };
  }
}
