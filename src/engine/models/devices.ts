/** For `mnemis doctor`; run in a process of its own, for a broken driver can end it. */
export { type DeviceMeasurement, measureDevices } from '../../inference/onnx/measure-devices.ts';
export { deviceLogIn } from './device-log.ts';
