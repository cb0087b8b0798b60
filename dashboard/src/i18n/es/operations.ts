import type { Translation } from '../catalogue';

export default {
  title: 'Operaciones',
} satisfies Translation['operations'];
