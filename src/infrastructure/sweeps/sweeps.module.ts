import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Activity } from './activity.service';
import { Sweeps } from './sweeps.service';

/** Periodic looks for work in the database, which rest while nothing happens. */
@Global()
@Module({ imports: [DiscoveryModule], providers: [Activity, Sweeps], exports: [Activity] })
export class SweepsModule {}
