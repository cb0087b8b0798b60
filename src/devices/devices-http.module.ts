import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { DevicesModule } from './devices.module';
import { DevicesController } from './http/devices.controller';
import { SimsController } from './sims/http/sims.controller';

/** Routes of phones and their SIMs. */
@Module({
  imports: [AuthModule, DevicesModule],
  controllers: [DevicesController, SimsController],
})
export class DevicesHttpModule {}
