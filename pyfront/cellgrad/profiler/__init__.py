"""What compiled code takes: `profile` for time, `memory_report` for memory, and MindSpore's names."""

from cellgrad.profiler.memory import MemoryReport, memory_report
from cellgrad.profiler.older import (
    AicoreMetrics,
    ExportType,
    Profiler,
    ProfilerActivity,
    ProfilerLevel,
    tensorboard_trace_handler,
)
from cellgrad.profiler.page import Page, show
from cellgrad.profiler.profile import profile
from cellgrad.profiler.schedule import ProfilerAction, schedule

__all__ = [
    "AicoreMetrics",
    "ExportType",
    "MemoryReport",
    "Page",
    "Profiler",
    "ProfilerAction",
    "ProfilerActivity",
    "ProfilerLevel",
    "memory_report",
    "profile",
    "schedule",
    "show",
    "tensorboard_trace_handler",
]
