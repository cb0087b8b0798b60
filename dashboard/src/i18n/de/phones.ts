import type { Translation } from '../catalogue';

export default {
  title: 'Telefone',
} satisfies Translation['phones'];
