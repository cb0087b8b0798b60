import type { Translation } from '../catalogue';

export default {
  title: 'Pools',
} satisfies Translation['pools'];
