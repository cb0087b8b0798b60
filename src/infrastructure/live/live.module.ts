import { Global, Module } from '@nestjs/common';
import { LiveHints } from './live-hints';

/** Hints to pages that are open, over Redis. */
@Global()
@Module({ providers: [LiveHints], exports: [LiveHints] })
export class LiveModule {}
