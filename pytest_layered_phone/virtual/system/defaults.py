"""The settings and system packages of a phone that was just switched on for the first time."""

from __future__ import annotations

from ..spec import PhoneSpec
from ..types import ADB_IME, LATIN_IME, ImeState, Package


def first_settings(spec: PhoneSpec) -> dict[str, dict[str, str]]:
    """The three namespaces of `settings get`."""
    return {
        "system": {
            "screen_brightness": "128",
            "screen_brightness_mode": "0",
            "screen_off_timeout": "1800000",
            "accelerometer_rotation": "0",
            "user_rotation": "1" if spec.landscape else "0",
            "font_scale": str(spec.font_scale),
            "volume_music_speaker": "5",
            "volume_ring_speaker": "5",
            "vibrate_when_ringing": "0",
            "sound_effects_enabled": "1",
            "status_bar_show_battery_percent": "0",
            "system_locales": spec.locale,
            "time_12_24": "24",
        },
        "secure": {
            "android_id": "a1b2c3d4e5f60718",
            "default_input_method": LATIN_IME,
            "enabled_input_methods": LATIN_IME,
            "show_ime_with_hard_keyboard": "1",
            "location_mode": "3",
            "ui_night_mode": "1",
            "user_setup_complete": "1",
            "accessibility_enabled": "0",
            "lockscreen.disabled": "0",
        },
        "global": {
            "adb_enabled": "1",
            "airplane_mode_on": "0",
            "bluetooth_on": "1",
            "wifi_on": "1",
            "mobile_data": "1",
            "low_power": "0",
            "zen_mode": "0",
            "auto_time": "1",
            "device_name": spec.model,
            "device_provisioned": "1",
            "development_settings_enabled": "0",
            "stay_on_while_plugged_in": "0",
            "window_animation_scale": "1.0",
            "transition_animation_scale": "1.0",
            "animator_duration_scale": "1.0",
        },
    }


def first_imes(spec: PhoneSpec) -> dict[str, ImeState]:
    """The input methods: the Latin one is enabled, ADBKeyboard is not."""
    return {LATIN_IME: ImeState(True, True), ADB_IME: ImeState(spec.adbkeyboard, False)}


def system_packages(spec: PhoneSpec, adbkeyboard: bool) -> list[Package]:
    """Packages without an app of their own here; `adbkeyboard` says whether that one is installed."""

    def package(
        name: str, label: str, path: str, version: str = spec.release, code: int = spec.sdk, system: bool = True
    ) -> Package:
        return Package(name, label, (label,), version, code, path, None, (), None, system)

    found = [
        package("android", "Android System", "/system/framework/framework-res.apk"),
        package("com.android.systemui", "System UI", "/system/system_ext/priv-app/SystemUI/SystemUI.apk"),
        package(
            "com.android.permissioncontroller",
            "Permission controller",
            "/apex/com.android.permission/priv-app/PermissionController/PermissionController.apk",
        ),
        package("com.android.inputmethod.latin", "Android Keyboard", "/product/app/LatinIME/LatinIME.apk"),
        package(
            "com.android.providers.telephony",
            "Phone and Messaging Storage",
            "/system/priv-app/TelephonyProvider/TelephonyProvider.apk",
        ),
    ]
    if adbkeyboard:
        path = "/data/app/~~k3y8oard==/com.android.adbkeyboard-1==/base.apk"
        found.append(package("com.android.adbkeyboard", "ADB Keyboard", path, "2.0", 2, system=False))
    return found
