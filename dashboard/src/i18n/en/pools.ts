export default {
  title: 'Pools',
};
