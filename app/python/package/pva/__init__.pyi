# SPDX-License-Identifier: GPL-3.0-or-later
"""The types of pva over Tilescope's files. Bytes, cycles and times in microseconds are numbers; tiles count over all IPUs."""
import enum
from typing import Any, Optional

import numpy as np
import tilescope

class Span:
    start: int
    end: int

class TotalBytes:
    excludingGaps: int
    includingGaps: int

class RegionBytes:
    nonOverlapped: int
    overlapped: int

class CategoryBytes:
    total: int
    @property
    def nonInterleaved(self) -> RegionBytes: ...
    @property
    def interleaved(self) -> RegionBytes: ...
    @property
    def overflowed(self) -> RegionBytes: ...

class Categories:
    """Of each category by libpva's name, as `vertexCode`."""
    def __getattr__(self, name: str) -> CategoryBytes: ...

class TileMemory:
    total: TotalBytes
    alwaysLiveBytes: int
    notAlwaysLiveBytes: int
    @property
    def category(self) -> Categories: ...
    @property
    def vertices(self) -> list[VertexCode]: ...

class Tile:
    ipu: int
    tileId: int
    @property
    def memory(self) -> TileMemory: ...

class Ipu:
    tiles: list[Tile]

class Target:
    numIPUs: int
    tilesPerIpu: int
    numTiles: int
    numReplicas: int
    architecture: str
    bytesPerTile: int
    totalMemory: int
    clockFrequency: float
    type: str

class GraphCounts:
    numComputeSets: int
    numVars: int
    numVertices: int

class Variable:
    name: str
    type: str
    size: int
    bytes: int
    alwaysLive: bool
    category: str
    live: tuple[int, int]

class LiveBytes:
    bytes: int
    variables: list[Variable]

class LiveBytesOfIpu:
    bytes: int

class LivenessStep:
    program: Optional[Program]
    @property
    def notAlwaysLiveMemory(self) -> LiveBytes: ...
    def notAlwaysLiveMemoryForIpu(self, ipu: int) -> LiveBytesOfIpu: ...
    def notAlwaysLiveMemoryForTile(self, tile: int) -> LiveBytes: ...

class VertexType:
    name: str

class VertexCode:
    type: VertexType
    codeBytes: int

class Vertices:
    type: VertexType
    count: int
    tiles: int

class ComputeSet:
    name: str
    cycles: int
    vertices: list[Vertices]
    @property
    def estimatedCyclesByTile(self) -> np.ndarray: ...
    @property
    def cyclesByTile(self) -> np.ndarray: ...

class Type(enum.Enum):
    Sequence = ...
    Repeat = ...
    OnTileExecute = ...
    DoExchange = ...
    GlobalExchange = ...
    StreamCopyBegin = ...
    StreamCopyMid = ...
    StreamCopyEnd = ...
    OnEveryTileSwitch = ...
    Sync = ...
    SyncAns = ...
    Sans = ...

class DebugContext:
    """What the profile says of an operation; `layer` is empty where it is of none."""
    id: int
    name: str
    layer: str
    json: str

class Program:
    Type = Type
    name: str
    type: Type
    computeset: Optional[ComputeSet]
    children: list[Program]
    cycles: int
    operation_id: int
    @property
    def debugContext(self) -> Optional[DebugContext]: ...
    @property
    def vars(self) -> list[Variable]: ...
    @property
    def estimatedCyclesByTile(self) -> np.ndarray: ...
    def accept(self, visitor: ProgramVisitor) -> Any: ...

class ProgramVisitor:
    def visitSequence(self, program: Program) -> Any: ...
    def visitRepeat(self, program: Program) -> Any: ...
    def visitOnTileExecute(self, program: Program) -> Any: ...
    def visitDoExchange(self, program: Program) -> Any: ...
    def visitGlobalExchange(self, program: Program) -> Any: ...
    def visitStreamCopyBegin(self, program: Program) -> Any: ...
    def visitStreamCopyMid(self, program: Program) -> Any: ...
    def visitStreamCopyEnd(self, program: Program) -> Any: ...
    def visitOnEveryTileSwitch(self, program: Program) -> Any: ...
    def visitSync(self, program: Program) -> Any: ...
    def visitSyncAns(self, program: Program) -> Any: ...
    def visitSans(self, program: Program) -> Any: ...

class EquivalenceClass:
    id: int
    steps: list[Span]

class BriefVar:
    id: int
    bytes: int
    tileId: int
    equivalenceClass: EquivalenceClass

class LoweredVar(BriefVar):
    name: str
    category: str
    offset: Optional[int]
    size: int
    alwaysLive: bool

class LoweredVariables:
    @property
    def allBriefVars(self) -> list[BriefVar]: ...
    def forTile(self, tile: int) -> list[LoweredVar]: ...

class Compilation:
    target: Target
    @property
    def graph(self) -> GraphCounts: ...
    @property
    def tiles(self) -> list[Tile]: ...
    @property
    def ipus(self) -> list[Ipu]: ...
    @property
    def computeSets(self) -> list[ComputeSet]: ...
    @property
    def programs(self) -> list[Program]: ...
    @property
    def variables(self) -> list[Variable]: ...
    @property
    def loweredVariables(self) -> LoweredVariables: ...
    @property
    def alwaysLiveVariables(self) -> list[Variable]: ...
    @property
    def livenessProgramSteps(self) -> list[LivenessStep]: ...
    def alwaysLiveVariablesForTile(self, tile: int) -> list[Variable]: ...

class Cycle:
    min: int
    max: int

class ActiveCycles:
    cyclesFrom: Cycle
    cyclesTo: Cycle

class IpuStep:
    cycles: int
    allCycles: int
    activeCycles: ActiveCycles

class Step:
    program: Program
    ipus: list[IpuStep]
    cycles: int
    @property
    def computeSets(self) -> list[ComputeSet]: ...
    @property
    def cyclesByTile(self) -> np.ndarray: ...

class Run:
    name: str
    cycles: int
    steps: list[Step]

class TotalCycles:
    total: int

class Block:
    program: Program
    tile: int
    cyclesFrom: int
    cyclesTo: int
    isCommon: bool
    isStreamCopy: bool
    isBlockFlush: bool
    isOverflow: bool

class Execution:
    def blocks(self, tile: int = 0) -> list[Block]: ...
    @property
    def runs(self) -> list[Run]: ...
    @property
    def steps(self) -> list[Step]: ...
    @property
    def totalCycles(self) -> TotalCycles: ...

class PoplarVersion:
    major: int
    minor: int
    point: int
    packageHash: str
    string: str

class FileVersion:
    major: int
    minor: int
    point: int
    string: str
    isUnstableFormat: bool

class Instrumentation(enum.Enum):
    Off = ...
    Vertex = ...
    Tile = ...
    Ipu = ...
    Device = ...

class InstrumentationSettings:
    compute: Instrumentation
    externalExchange: Instrumentation

class Report:
    tilescope: tilescope.Report
    compilation: Compilation
    execution: Execution
    poplarVersion: PoplarVersion
    version: FileVersion
    instrumentationSettings: InstrumentationSettings
    def __init__(self, path: str) -> None: ...

class Operation:
    name: str
    kind: str
    layer: Optional[str]
    debugContext: DebugContext
    vars: list[Variable]
    firstStepIndex: int
    lastStepIndex: int
    def programs(self) -> list[Program]: ...

class OperationAnalysis:
    operations: list[Operation]
    def __init__(self, report: Report) -> None: ...

class Event:
    label: str
    channel: str
    timestamp: float
    duration: float
    def __init__(self, label: str, channel: str, timestamp: float, duration: float) -> None: ...
    def children(self) -> list[Event]: ...

class Thread:
    tid: int
    name: str
    events: list[Event]

class Process:
    pid: int
    threads: list[Thread]

class Trace:
    processes: list[Process]
    def __init__(self, path: str) -> None: ...

def openReport(profile: str, debug: Optional[str] = None) -> Report: ...
def openTrace(path: str) -> Trace: ...
